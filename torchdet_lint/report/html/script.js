"use strict";
(function () {
  function remembered(value) {
    try {
      if (value !== undefined) { localStorage.setItem("torchdet-lint-theme", value); }
      return localStorage.getItem("torchdet-lint-theme");
    } catch (error) {
      return null; // pages from a disk may have no storage
    }
  }

  function themes(button) {
    var root = document.documentElement;
    var system = matchMedia("(prefers-color-scheme: dark)");
    function show(choice) {
      if (choice === "light" || choice === "dark") { root.dataset.theme = choice; }
      var dark = (root.dataset.theme || (system.matches ? "dark" : "light")) === "dark";
      button.textContent = dark ? "Light theme" : "Dark theme";
      return dark;
    }
    var dark = show(remembered());
    button.hidden = false;
    button.addEventListener("click", function () { dark = show(remembered(dark ? "light" : "dark") || (dark ? "light" : "dark")); });
    system.addEventListener("change", function () { dark = show(); });
  }

  function read(element) {
    var file = element.closest(".file");
    return { element: element, file: file, data: element.dataset, path: file.dataset.path.toLowerCase(), text: null, shown: true };
  }

  function words(value) { return value.toLowerCase().split(/\s+/).filter(Boolean); }

  function matches(item, wanted) {
    if (!wanted.severities.has(item.data.severity)) { return false; }
    if (wanted.kind && item.data[wanted.kind] !== wanted.rule) { return false; }
    if (wanted.effect && item.data.effect !== wanted.effect) { return false; }
    if (!wanted.path.every(function (word) { return item.path.includes(word); })) { return false; }
    if (!wanted.text.length) { return true; }
    if (item.text === null) { item.text = (item.element.textContent + " " + item.path).toLowerCase(); }
    return wanted.text.every(function (word) { return item.text.includes(word); });
  }

  function filters(form) {
    var items = Array.from(document.querySelectorAll(".finding"), read);
    var files = new Map();
    items.forEach(function (item) { files.set(item.file, 0); });
    var output = document.getElementById("shown");

    function apply() {
      var given = new FormData(form);
      var boxes = form.querySelectorAll("[name=severity]");
      var rule = given.get("rule").split(":");
      var wanted = {
        severities: new Set(given.getAll("severity")), kind: rule[0], rule: rule[1], effect: given.get("effect"),
        path: words(given.get("path")), text: words(given.get("text"))
      };
      if (boxes.length === 1) { wanted.severities.add(boxes[0].value); }
      var total = 0;
      files.forEach(function (_, file) { files.set(file, 0); });
      items.forEach(function (item) {
        var shown = matches(item, wanted);
        if (shown !== item.shown) { item.element.hidden = !shown; item.shown = shown; }
        if (shown) { total += 1; files.set(item.file, files.get(item.file) + 1); }
      });
      files.forEach(function (number, file) {
        file.hidden = number === 0;
        file.querySelector(".count").textContent = number;
      });
      output.textContent = total === items.length ? "" : total.toLocaleString("en") + " of " + items.length.toLocaleString("en") + " shown";
    }

    var waiting = 0;
    function soon() { clearTimeout(waiting); waiting = setTimeout(apply, 60); }
    form.addEventListener("input", soon);
    form.addEventListener("reset", soon);
    form.addEventListener("submit", function (event) { event.preventDefault(); });
    addEventListener("pageshow", apply); // what the browser has put back into the form
    form.hidden = false;
  }

  function printing() {
    var closed = [];
    addEventListener("beforeprint", function () {
      closed = document.querySelectorAll("details:not([open])");
      closed.forEach(function (each) { each.open = true; });
    });
    addEventListener("afterprint", function () { closed.forEach(function (each) { each.open = false; }); });
  }

  printing();
  var button = document.getElementById("theme");
  if (button) { themes(button); }
  var form = document.getElementById("filters");
  if (form) { filters(form); }
})();
