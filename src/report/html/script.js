(() => {
  "use strict";

  // A link may lead into something that is folded.
  const reveal = () => {
    const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    for (let at = target; at; at = at.parentElement) {
      if (at.localName === "details") at.open = true;
    }
    target?.scrollIntoView();
  };
  addEventListener("hashchange", reveal);
  if (location.hash) reveal();

  const copy = async (button, code) => {
    try {
      await navigator.clipboard.writeText(code.textContent);
      button.textContent = "copied";
    } catch {
      // Without the right to write there, the text is marked, so that one key copies it.
      getSelection().selectAllChildren(code);
      button.textContent = "marked";
    }
    setTimeout(() => { button.textContent = "copy"; }, 2000);
  };

  // A button is made when its command comes into sight: a page may have thousands.
  const furnish = (within) => {
    for (const command of within.querySelectorAll(".command")) {
      const folded = command.closest("details:not([open])");
      if (folded || command.querySelector("button")) continue;
      const button = document.createElement("button");
      button.type = "button";
      button.textContent = "copy";
      button.setAttribute("aria-label", "copy the command");
      button.addEventListener("click", () => copy(button, command.querySelector("code")));
      command.append(button);
    }
  };
  furnish(document);
  document.addEventListener("toggle", (event) => {
    if (event.target.open) furnish(event.target);
  }, true);

  document.addEventListener("click", (event) => {
    const link = event.target.closest("a[href^='#']");
    if (link?.getAttribute("href") === location.hash) reveal();
  });

  // On paper nothing can be unfolded: the evidence for what is violated is printed.
  let opened = [];
  addEventListener("beforeprint", () => {
    opened = [...document.querySelectorAll("details[open] .evidence:not([open]), main > .part .evidence:not([open])")];
    for (const details of opened) details.open = true;
  });
  addEventListener("afterprint", () => {
    for (const details of opened) details.open = false;
  });
})();
