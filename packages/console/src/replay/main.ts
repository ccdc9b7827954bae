import { h, render } from "preact"

import { ReplayPage } from "./ReplayPage.tsx"

import "../style/console.css"
import "./replay.css"

const root = document.getElementById("console")
if (root !== null) {
  root.textContent = ""
  render(h(ReplayPage, { address: location.href }), root)
}
