// Keeps a live feed from growing without end, and says whether it is connected.
"use strict";
const MOST = 200;

document.addEventListener("htmx:sse:after:message", (event) => {
  while (event.target.children.length > MOST) event.target.lastElementChild.remove();
});

function live(is) {
  const state = document.getElementById("live");
  if (state) {
    state.textContent = is ? "live" : "not connected";
    state.className = is ? "state state-active" : "state state-paused";
  }
}
document.addEventListener("htmx:sse:after:connection", () => live(true));
document.addEventListener("htmx:sse:error", () => live(false));
document.addEventListener("htmx:sse:close", () => live(false));
