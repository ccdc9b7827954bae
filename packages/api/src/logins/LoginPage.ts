import { createHash } from "node:crypto"
import { readFileSync } from "node:fs"

import { HttpServerResponse } from "effect/http"

import { page } from "../http/Page.ts"

const read = (name: string): string => readFileSync(new URL(name, import.meta.url), "utf8")
const hashOf = (text: string): string =>
  `'sha256-${createHash("sha256").update(text).digest("base64")}'`

const style = read("./LoginPage.css")
const script = read("./LoginPageScript.js")
const html = read("./LoginPage.html")
  .replace("<style></style>", () => `<style>${style}</style>`)
  .replace("<script></script>", () => `<script type="module">${script}</script>`)

/** Nothing runs, loads or frames this page but what is in it; no form leaves it by itself. */
const headers = {
  "content-security-policy": [
    "default-src 'none'",
    `script-src ${hashOf(script)}`,
    `style-src ${hashOf(style)}`,
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'"
  ].join("; "),
  "x-frame-options": "DENY",
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  "cross-origin-opener-policy": "same-origin",
  "cache-control": "no-store"
}

/** The page on which a person logs in, accepts an invitation, and allows a device. Source: D-23. */
export const LoginPage = page(
  "/login",
  HttpServerResponse.text(html, { contentType: "text/html; charset=utf-8", headers })
)
