import { h, render } from "preact"

import { App } from "./app/App.tsx"

import "./style/console.css"

const root = document.getElementById("console")
if (root !== null) {
  root.textContent = ""
  render(h(App, {}), root)
}
