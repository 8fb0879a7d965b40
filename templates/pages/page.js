// Keeps what changes by itself up to date: each part marked data-live="now" is fetched again and replaced.
// Every page works without this file; a person then loads it again.
"use strict";
const EVERY = 4000;
let slow = 1;

async function refresh() {
  const parts = [...document.querySelectorAll("[data-live]")];
  if (document.hidden || !parts.some((part) => part.dataset.live === "now")) return;
  const answer = await fetch(location.href, { headers: { accept: "text/html" }, redirect: "error" });
  if (!answer.ok) throw new Error(String(answer.status));
  const fresh = [...new DOMParser().parseFromString(await answer.text(), "text/html").querySelectorAll("[data-live]")];
  parts.forEach((part, at) => {
    if (!fresh[at] || part.contains(document.activeElement)) return;
    if (fresh[at].innerHTML !== part.innerHTML) part.innerHTML = fresh[at].innerHTML;
    part.dataset.live = fresh[at].dataset.live;
  });
}

async function again() {
  try {
    await refresh();
    slow = 1;
  } catch {
    slow = Math.min(2 * slow, 16); // signed out, or the server is being restarted
  }
  setTimeout(again, EVERY * slow);
}

setTimeout(again, EVERY);
