import { readFileSync } from "node:fs"

import { HttpServerResponse } from "effect/http"

import { page } from "../http/Page.ts"
import { pageHeaders } from "../http/PagePolicy.ts"

const read = (name: string): string => readFileSync(new URL(name, import.meta.url), "utf8")

const style = read("./LoginPage.css")
const script = read("./LoginPageScript.js")
const html = read("./LoginPage.html")
  .replace("<style></style>", () => `<style>${style}</style>`)
  .replace("<script></script>", () => `<script type="module">${script}</script>`)

const headers = {
  ...pageHeaders({ scripts: [script], styles: [style], pictures: false, connect: [] }),
  "cache-control": "no-store"
}

/** The page on which a person logs in, accepts an invitation, and allows a device. Source: D-23. */
export const LoginPage = page(
  "/login",
  HttpServerResponse.text(html, { contentType: "text/html; charset=utf-8", headers })
)
