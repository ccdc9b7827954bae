import { createHash } from "node:crypto"

import { expect, test } from "vitest"

import { gameHeaders, gamePage, loadingPage } from "./GamePage.ts"

const html = `<head><meta name="atrium-service" content="http://localhost:8787" />
<meta name="atrium-project" content="dev" /><style>b{color:red}</style></head>
<script type="module" src="client.js"></script>`
const sha256 = (text: string): string => createHash("sha256").update(text).digest("base64")

test("[C-393] a game is one page, which asks the service that it comes from for one project", () => {
  const page = gamePage(html, 'const end = "</script>", price = "$&"\n')
  expect(page.html("p_0123456789abcdef")).toBe(`<head><meta name="atrium-service" content="" />
<meta name="atrium-project" content="p_0123456789abcdef" /><style>b{color:red}</style></head>
<script type="module">const end = "<\\/script>", price = "$&"</script>`)
})

test("[C-393] it runs and shows what is in it, and reaches this service alone", () => {
  const page = gamePage(html, "play()")
  const policy = gameHeaders(page, "https://game.example")["content-security-policy"]?.split("; ")
  expect(policy).toEqual([
    "default-src 'none'",
    `script-src 'sha256-${sha256("play()")}'`,
    `style-src 'sha256-${sha256("b{color:red}")}'`,
    "img-src data:",
    "connect-src 'self' wss://game.example",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'"
  ])
})

test("[C-870] a game that loads its script runs that one, which may compile WebAssembly", () => {
  const page = loadingPage(html, "/play/files/marbles-0123.js")
  expect(page.html("p_0123456789abcdef")).toContain(
    '<script type="module" src="/play/files/marbles-0123.js"></script>'
  )
  const policy = gameHeaders(page, "https://game.example")["content-security-policy"]?.split("; ")
  expect(policy).toContain(
    "script-src https://game.example/play/files/marbles-0123.js 'wasm-unsafe-eval'"
  )
})

test.each(["script", "meta"])("[C-393] a page without its %s is a fault", (part) => {
  const without = html.replace(new RegExp(`<${part}[^>]*>`), "")
  expect(() => gamePage(without, "")).toThrow("the page has no")
})
