package main

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	kjson "sigs.k8s.io/json"
)

// eachLine writes the answer to every line of in to out, and what is wrong with a line to complaints. It returns how
// many lines had no answer, and an error only if in or out fails. When no more input is at hand, what was answered is
// handed on, so that it can be used over a pipe, a question at a time.
func eachLine(in io.Reader, out, complaints io.Writer, answer func([]byte) (any, error)) (refused int, err error) {
	lines, err := plain(in)
	if err != nil {
		return 0, err
	}
	answers := bufio.NewWriterSize(out, 1<<16)
	defer func() { err = errors.Join(err, answers.Flush()) }()
	encoder := json.NewEncoder(answers)
	encoder.SetEscapeHTML(false)
	for number := 1; ; number++ {
		line, readErr := lines.ReadBytes('\n')
		if line = bytes.TrimSpace(line); len(line) > 0 {
			result, err := answer(line)
			if err != nil {
				refused++
				fmt.Fprintf(complaints, "line %d: %v\n", number, err)
			} else if err := encoder.Encode(result); err != nil {
				return refused, err
			}
		}
		if readErr == io.EOF {
			return refused, nil
		}
		if readErr != nil {
			return refused, fmt.Errorf("line %d: %w", number, readErr)
		}
		if lines.Buffered() == 0 {
			if err := answers.Flush(); err != nil {
				return refused, err
			}
		}
	}
}

// plain is in itself, or what is packed in it if it begins as gzip does.
func plain(in io.Reader) (*bufio.Reader, error) {
	buffered := bufio.NewReaderSize(in, 1<<16)
	if start, _ := buffered.Peek(2); !bytes.Equal(start, []byte{0x1f, 0x8b}) {
		return buffered, nil
	}
	unpacked, err := gzip.NewReader(buffered)
	if err != nil {
		return nil, err
	}
	return bufio.NewReaderSize(unpacked, 1<<16), nil
}

// target is a field of a line, and where it goes. A field that is missing leaves that as it is.
type target struct {
	name string
	into any
}

// readFields reads the fields of a line that are asked for, and passes over the rest. The error names the field.
func readFields(line []byte, targets ...target) error {
	var fields map[string]json.RawMessage
	var wrongType *json.UnmarshalTypeError
	if err := json.Unmarshal(line, &fields); errors.As(err, &wrongType) {
		return fmt.Errorf("want a JSON object, got %s", wrongType.Value)
	} else if err != nil {
		return err
	}
	for _, target := range targets {
		if data, ok := fields[target.name]; ok {
			if err := decode(data, target.name, target.into); err != nil {
				return err
			}
		}
	}
	return nil
}

// decode reads JSON as the API server does: names in their own case, whole numbers whole, unknown fields passed over.
func decode(data []byte, path string, into any) error {
	err := kjson.UnmarshalCaseSensitivePreserveInts(data, into)
	var wrongType *json.UnmarshalTypeError
	if errors.As(err, &wrongType) {
		if wrongType.Field != "" {
			path += "." + wrongType.Field
		}
		return fmt.Errorf("%s: want %s, got %s", path, wrongType.Type, wrongType.Value)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}
