// page.js - the script of a page: it shows one step of one case at a time.
//
// Texts from the user are inserted as text nodes only; pictures are assembled from parts that svg.lua has escaped.

"use strict";
(function () {
  var data = JSON.parse(document.getElementById("data").textContent);
  var at = { c: 0, s: 0 }, full = false, beside = false;
  function el(id) { return document.getElementById(id); }
  function make(tag, name, text) {
    var e = document.createElement(tag);
    if (name) e.className = name;
    if (text !== undefined) e.textContent = text;
    return e;
  }
  function fill(parent, children) {
    parent.textContent = "";
    children.forEach(function (child) { parent.appendChild(child); });
  }
  function current() { return data.cases[at.c]; }
  function step() { return current().steps[at.s]; }

  // Words of the directive that a name begins with: X of X.a[0:3].
  function markedText(text, name) {
    var root = name && (name.match(/[A-Za-z_]\w*/) || [])[0], nodes = [];
    if (!root) return [document.createTextNode(text)];
    text.split(new RegExp("\\b(" + root + ")\\b")).forEach(function (part, i) {
      nodes.push(i % 2 ? make("mark", "", part) : document.createTextNode(part));
    });
    return nodes;
  }
  function showDirective(name) {
    var s = step(), text = s.title;
    var nodes = name ? markedText(text, name) : [document.createTextNode(text)];
    if (!name && s.error && s.error.from !== undefined) {
      nodes = [document.createTextNode(text.slice(0, s.error.from)),
        make("mark", "wrong", text.slice(s.error.from, s.error.to)),
        document.createTextNode(text.slice(s.error.to))];
    }
    fill(el("directive"), nodes);
  }
  function hover(row, name) {
    row.addEventListener("mouseenter", function () { showDirective(name); point(name, true); });
    row.addEventListener("mouseleave", function () { showDirective(); point(name, false); });
  }
  // The boxes of an object's name.
  function point(name, on) {
    el("picture").querySelectorAll(".box").forEach(function (box) {
      if (box.firstChild.textContent === name) box.classList.toggle("twin", on);
    });
  }

  // As large as the window has room for, and readable.
  function scaleOf(s) {
    var box = document.querySelector(".drawing"), top = box.getBoundingClientRect().top + scrollY;
    var room = { x: box.clientWidth / s.width, y: Math.max(innerHeight - top - 60, 240) / s.height };
    return full ? 1.15 : Math.max(Math.min(room.x, room.y, 1.15), 0.62);
  }
  function showPicture() {
    var s = step(), svg = el("picture"), columns = document.querySelector(".columns");
    columns.classList.toggle("wide", !beside);
    svg.setAttribute("viewBox", "0 0 " + s.width + " " + s.height);
    svg.innerHTML = "<title></title>" + s.parts.map(function (i) { return data.parts[i]; }).join("");
    svg.firstChild.textContent = "host and device: " + s.title;
    el("left-out").textContent = s.left_out ? "Never on the device: " + s.left_out : "";
    svg.style.width = Math.round(s.width * scaleOf(s)) + "px";
    var wrong = svg.querySelector(".row.offending") || svg.querySelector(".box.offending");
    if (wrong) show_in(el("scroll"), wrong);
  }
  // Scrolls a pane so far that an element of it is seen.
  function show_in(pane, element) {
    var outer = pane.getBoundingClientRect(), inner = element.getBoundingClientRect();
    if (inner.left < outer.left || inner.right > outer.right) {
      pane.scrollLeft += inner.left - outer.left - (pane.clientWidth - inner.width) / 2;
    }
    if (inner.top < outer.top || inner.bottom > outer.bottom) {
      pane.scrollTop += inner.top - outer.top - (pane.clientHeight - inner.height) / 2;
    }
  }

  function showError() {
    var e = step().error, box = el("error");
    box.hidden = !e;
    if (!e) return;
    var parts = [make("strong", "", (e.level || "error") + "[" + e.code + "]"),
      document.createTextNode(" " + e.message)];
    if (e.snippet) parts.push(make("pre", "", e.snippet));
    (e.lines || []).forEach(function (line) { parts.push(make("div", "", line)); });
    if (e.rule) { var d = make("div", "", "rule: "); d.appendChild(rule(e.rule)); parts.push(d); }
    if (e.help) parts.push(make("div", "", "help: " + e.help));
    fill(box, parts);
  }

  function rule(id) {
    var r = make("abbr", "rule", id);
    r.title = data.rules[id] || id;
    r.tabIndex = 0;
    return r;
  }

  function table(head, rows, more, cell) {
    var t = make("table"), h = t.createTHead().insertRow();
    head.forEach(function (name) { var th = make("th", "", name); th.scope = "col"; h.appendChild(th); });
    var body = t.createTBody();
    rows.forEach(function (row) {
      var tr = body.insertRow();
      row.forEach(function (value, i) {
        var td = tr.insertCell();
        if (typeof value === "number") td.className = "number";
        if (cell && cell(td, value, i)) return;
        td.textContent = value;
      });
      hover(tr, String(row[head.name || 0]));
    });
    var list = [t];
    if (more) list.push(make("p", "quiet", "and " + more + " more"));
    return list;
  }
  function section(id, nodes) { fill(el(id), nodes.length ? nodes : [make("p", "quiet", "none")]); }

  function showTables() {
    var t = data.tables[step().tables], e = step().events;
    var head = ["what", "object", "bytes", "rule"];
    head.name = 1;
    section("events", e.rows.length ? table(head, e.rows, e.more, function (td, value, i) {
      if (i === 0) td.className = "op " + value;
      if (i !== 3 || !value) return false;
      td.appendChild(rule(value));
      return true;
    }) : []);
    section("present", t.present.length ? table(["object", "bytes", "structured", "dynamic", "state"], t.present,
      t.present_more) : []);
    section("attached", t.attached.length ? table(["pointer", "points to", "counter"], t.attached,
      t.attached_more) : []);
    section("levels", t.levels.map(function (level, i) {
      var d = make("div", "level"), list = make("ul");
      d.appendChild(make("strong", "", (i + 1) + "  " + level.title));
      level.parts.forEach(function (part) { list.appendChild(make("li", "", part)); });
      d.appendChild(list);
      return d;
    }));
  }

  var lines = [];
  function showSource() {
    var s = step(), list = el("source");
    lines.forEach(function (line) { line.className = ""; line.removeAttribute("aria-current"); });
    for (var i = s.line; s.line && i <= s.last; i++) {
      if (!lines[i - 1]) continue;
      lines[i - 1].className = s.error ? "now wrong" : "now";
      lines[i - 1].setAttribute("aria-current", "step");
    }
    var here = lines[(s.line || 1) - 1];
    if (here) list.scrollTop = here.offsetTop - list.clientHeight / 3; // the pane is the line's offset parent
  }

  function show() {
    var c = current(), n = c.steps.length, slider = el("slider");
    at.s = Math.max(0, Math.min(at.s, n - 1));
    slider.max = n - 1;
    slider.value = at.s;
    var label = "step " + (at.s + 1) + " of " + n;
    if (c.dropped && at.s === n - 1) label += " (" + c.dropped + " before it are left out)";
    slider.setAttribute("aria-valuetext", label + ": " + step().title);
    el("count").textContent = label;
    el("place").textContent = step().line
      ? data.name + ":" + step().line + (step().callers ? ", called from " + step().callers : "") : "";
    el("case").value = at.c;
    el("first").disabled = el("back").disabled = at.s === 0;
    el("last").disabled = el("next").disabled = at.s === n - 1;
    showDirective();
    showError();
    showPicture();
    showTables();
    showSource();
    history.replaceState(null, "", "#case=" + (at.c + 1) + "&step=" + (at.s + 1));
  }
  function go(s) { at.s = s; show(); }
  function choose(c) {
    at.c = Math.max(0, Math.min(c, data.cases.length - 1));
    // The scenario's text stands beside pictures that leave room for it.
    beside = current().steps.every(function (s) {
      return s.width * Math.max(Math.min((innerHeight - 260) / s.height, 1.15), 0.62) < innerWidth - 480;
    });
    var marks = current().steps.map(function (s, i) {
      if (!s.error) return null;
      var b = make("button", "tick"), n = current().steps.length;
      b.style.left = "calc(8px + " + (n > 1 ? i / (n - 1) : 0) + " * (100% - 16px))";
      b.title = "step " + (i + 1) + ": " + s.error.code;
      b.setAttribute("aria-label", b.title);
      b.addEventListener("click", function () { go(i); });
      return b;
    }).filter(Boolean);
    fill(el("ticks"), marks);
    el("rules").textContent = "rules: " + current().rules;
  }
  function fromHash() {
    var c = /case=(\d+)/.exec(location.hash), s = /step=(\d+)/.exec(location.hash);
    choose(c ? c[1] - 1 : data.start.case);
    var first = current().steps.findIndex(function (x) { return x.line; });
    if (at.c === data.start.case && data.start.step >= 0) first = data.start.step;
    go(s ? s[1] - 1 : Math.max(first, 0));
  }

  data.source.forEach(function (text) {
    var line = make("li", "", text || " ");
    lines.push(line);
    el("source").appendChild(line);
  });
  data.cases.forEach(function (c, i) {
    var o = make("option", "", (i + 1) + ". " + (c.ok ? "" : "FAIL ") + c.name);
    o.value = i;
    el("case").appendChild(o);
  });
  el("case").addEventListener("change", function () { choose(+this.value); go(0); });
  el("slider").addEventListener("input", function () { go(+this.value); });
  el("first").addEventListener("click", function () { go(0); });
  el("back").addEventListener("click", function () { go(at.s - 1); });
  el("next").addEventListener("click", function () { go(at.s + 1); });
  el("last").addEventListener("click", function () { go(current().steps.length - 1); });
  el("size").addEventListener("click", function () {
    full = !full;
    this.setAttribute("aria-pressed", full);
    showPicture();
  });
  el("theme").addEventListener("click", function () {
    var root = document.documentElement, dark = root.dataset.theme ? root.dataset.theme === "dark"
      : matchMedia("(prefers-color-scheme: dark)").matches;
    root.dataset.theme = dark ? "light" : "dark";
  });
  el("picture").addEventListener("mouseover", function (event) {
    var box = event.target.closest(".box"), id = box && (box.dataset.twin || box.dataset.id);
    this.querySelectorAll(".box").forEach(function (other) {
      other.classList.toggle("twin", !!box && other !== box && (other.dataset.twin || other.dataset.id) === id);
    });
  });
  document.addEventListener("keydown", function (event) {
    if (event.altKey || event.ctrlKey || event.metaKey || event.target.tagName === "SELECT") return;
    var last = current().steps.length - 1;
    var to = { ArrowLeft: at.s - 1, ArrowRight: at.s + 1, Home: 0, End: last }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    if (to >= 0 && to <= last) go(to);
  });
  window.addEventListener("hashchange", fromHash);
  window.addEventListener("resize", showPicture);
  fromHash();
})();
