// Loads the page again when something was posted, unless somebody is writing.
const known = document.body.dataset.version;
const writing = () => [...document.querySelectorAll("textarea")].some((box) => box.value);
if (known) {
  setInterval(async () => {
    if (writing() || document.hidden) return;
    try {
      const now = await (await fetch(`${location.pathname}/version`)).text();
      if (now !== known) location.reload();
    } catch { /* the sandbox was stopped */ }
  }, 1500);
}
