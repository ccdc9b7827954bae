import { Html } from "./HtmlText.ts"

/** The looks of the page. */
export const style = new Html(`
:root { color-scheme: light dark; --line: #8884; --soft: #8882;
  --pass: #1a7f37; --dim: #6e7781; --warn: #9a6700; --bad: #cf222e; --broken: #8250df }
@media (prefers-color-scheme: dark) {
  :root { --pass: #3fb950; --dim: #8b949e; --warn: #d29922; --bad: #f85149; --broken: #bc8cff } }
* { box-sizing: border-box }
body { font: 15px/1.45 system-ui, sans-serif; margin: 0 auto; max-width: 72rem; padding: 1rem }
h1 { font-size: 1.5rem; margin: 0 }
.share { font-size: 1.05rem; margin: .3rem 0 .6rem } .about { color: var(--dim); overflow-wrap: anywhere }
.broken { color: var(--bad); overflow-wrap: anywhere }
.bar { display: flex; height: .6rem; border-radius: .3rem; overflow: hidden; gap: 1px } .bar i { background: currentColor; min-width: 2px }
.pass { color: var(--pass) } .documented, .unsupported, .not-scored { color: var(--dim) }
.bar .documented { opacity: .65 } .bar .unsupported { opacity: .35 }
.deviates, .flaky, .expected-fail { color: var(--warn) } .fail, .stale, .untestable, .not-run { color: var(--bad) }
.error { color: var(--broken) }
.scroll { overflow-x: auto; margin: 1rem 0; max-height: 24rem; overflow-y: auto; border: 1px solid var(--line); border-radius: .4rem }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums }
th, td { padding: 0 .5rem; text-align: right; border-bottom: 1px solid var(--soft); white-space: nowrap }
th:first-child { text-align: left; position: sticky; left: 0; background: Canvas }
thead th { position: sticky; top: 0; background: Canvas; z-index: 1; padding: .35rem .5rem; font-size: .85rem }
thead th:first-child { z-index: 2 }
td button, th button { all: unset; cursor: pointer; display: inline-block; min-width: 1.6rem; padding: .2rem 0; text-align: inherit }
td button { text-align: right }
button:focus-visible, summary:focus-visible { outline: 2px solid Highlight; outline-offset: 1px }
form { position: sticky; top: 0; background: Canvas; z-index: 3; display: flex; flex-wrap: wrap; gap: .4rem; padding: .5rem 0; align-items: center }
form input, form select, form button { font: inherit; padding: .35rem .5rem; min-width: 0 } form input { flex: 1 1 12rem }
output { color: var(--dim) }
details { border-bottom: 1px solid var(--soft); padding: .3rem 0; scroll-margin-top: 8rem } details[hidden] { display: none }
summary { cursor: pointer; display: grid; grid-template-columns: 7.5rem minmax(0, 18rem) minmax(0, 1fr); gap: .6rem; align-items: baseline }
summary::-webkit-details-marker { display: none }
summary code, dd { overflow-wrap: anywhere }
.status { font-size: .82rem; font-weight: 600 } section .status { margin-right: .6rem }
dl { display: grid; grid-template-columns: 7.5rem minmax(0, 1fr); gap: .15rem .6rem; margin: .5rem 0 } dt { color: var(--dim) } dd { margin: 0 }
section { border-left: 3px solid var(--line); padding-left: .7rem; margin: .5rem 0 } section p { margin: .2rem 0 }
.pre { white-space: pre-wrap; overflow-wrap: anywhere }
pre { background: var(--soft); padding: .6rem; border-radius: .3rem; overflow-x: auto; font-size: .82rem; max-height: 24rem }
@media (max-width: 640px) {
  body { padding: .6rem } form { position: static }
  summary { grid-template-columns: 1fr auto; } summary code { order: -1 } .statement { grid-column: 1 / -1; color: var(--dim) }
  dl { grid-template-columns: 1fr } dd { margin-bottom: .3rem }
}
`)

/** Shows the rows that fit the form; a number of the table fills it in. */
export const filterScript = `
"use strict"
const form = document.getElementById("filter")
const rows = [...document.querySelectorAll("#rows > details")]
const shown = document.getElementById("shown")
const apply = () => {
  const text = form.elements.text.value.trim().toLowerCase()
  const wanted = ["area", "status", "tier"].map((name) => [name, form.elements[name].value])
  let count = 0
  for (const row of rows) {
    const fits = row.dataset.words.includes(text) &&
      wanted.every(([name, value]) => value === "" || row.dataset[name] === value)
    row.hidden = !fits
    if (fits) count++
  }
  shown.textContent = count + " of " + rows.length
}
form.addEventListener("input", apply)
form.addEventListener("reset", () => setTimeout(apply))
form.addEventListener("submit", (event) => event.preventDefault())
document.getElementById("matrix").addEventListener("click", ({ target }) => {
  const { area, status } = target.dataset
  if (area === undefined) return
  form.elements.area.value = area
  form.elements.status.value = status ?? ""
  apply()
  form.scrollIntoView()
})
const follow = () => {
  const row = document.getElementById(decodeURIComponent(location.hash.slice(1)))
  if (row === null || !rows.includes(row)) return
  form.reset()
  apply()
  row.hidden = false
  row.open = true
  row.scrollIntoView()
}
addEventListener("hashchange", follow)
follow()
`
