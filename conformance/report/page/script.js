"use strict";
const scenarios = [...document.querySelectorAll("details")];
const words = new Map(scenarios.map(it => [it, it.textContent.toLowerCase()]));
const buttons = [...document.querySelectorAll("button[data-show]")];
const search = document.getElementById("search");
const unfold = document.getElementById("unfold");
let shown = [];

function filter() {
  const wanted = search.value.toLowerCase().split(/\s+/).filter(Boolean);
  for (const it of scenarios) {
    const chosen = !shown.length || shown.some(outcome => it.classList.contains(outcome));
    it.hidden = !(chosen && wanted.every(word => words.get(it).includes(word)));
  }
  for (const section of document.querySelectorAll("section")) {
    section.hidden = !section.querySelector("details:not([hidden])");
    for (const rule of section.querySelectorAll("h3")) {
      let next = rule.nextElementSibling;
      while (next && next.hidden) next = next.nextElementSibling;
      rule.hidden = next?.tagName !== "DETAILS";
    }
  }
  document.getElementById("none").hidden = scenarios.some(it => !it.hidden);
}

function choose(button) {
  shown = button.dataset.show.split(" ").filter(Boolean);
  for (const it of buttons) it.setAttribute("aria-pressed", String(it === button));
  filter();
}

search.addEventListener("input", filter);
for (const button of buttons) button.addEventListener("click", () => choose(button));
unfold.addEventListener("click", () => {
  const open = unfold.textContent === "open all";
  for (const it of scenarios) if (!it.hidden) it.open = open;
  unfold.textContent = open ? "close all" : "open all";
});
document.addEventListener("keydown", event => {
  if (event.key !== "/" || document.activeElement === search) return;
  event.preventDefault();
  search.focus();
});
function openNamed() {
  const named = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (!(named instanceof HTMLDetailsElement)) return;
  if (named.hidden) {
    search.value = "";
    choose(buttons[0]);
  }
  named.open = true;
  named.scrollIntoView();
}
window.addEventListener("hashchange", openNamed);
choose(buttons.find(it => it.getAttribute("aria-pressed") === "true"));
openNamed();
