// Without this script a click selects a whole command.
for (const block of document.querySelectorAll("pre")) {
  const button = document.createElement("button")
  const say = (text) => (button.textContent = text)
  button.type = "button"
  say("Copy")
  button.addEventListener("click", async () => {
    await navigator.clipboard.writeText(block.querySelector("code").textContent)
    say("Copied")
    setTimeout(say, 1500, "Copy")
  })
  // Browsers have a clipboard for pages of this machine and of https alone.
  if (navigator.clipboard !== undefined) block.append(button)
}
