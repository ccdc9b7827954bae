import { WriteStream } from "node:tty"

import { expect, test } from "vitest"

import { Screen } from "./Screen.ts"

const screenOn = (
  terminal: { readonly isTTY: boolean; readonly columns?: number; readonly rows?: number },
  env: Record<string, string> = {}
) => {
  let written = ""
  const out: WriteStream = Object.assign(Object.create(WriteStream.prototype), {
    columns: 100,
    rows: 40,
    ...terminal,
    write: (text: string) => {
      written += text
      return true
    }
  })
  return { screen: new Screen(out, env), written: () => written }
}

test("[demo.screen] is live only where a picture fits", () => {
  expect(screenOn({ isTTY: true, columns: 72, rows: 28 }).screen.live).toBe(true)
  expect(screenOn({ isTTY: true, columns: 71, rows: 28 }).screen.live).toBe(false)
  expect(screenOn({ isTTY: true, columns: 72, rows: 27 }).screen.live).toBe(false)
  expect(screenOn({ isTTY: true }, { TERM: "dumb" }).screen.live).toBe(false)
  expect(screenOn({ isTTY: false }).screen.live).toBe(false)
})

test("[demo.screen] NO_COLOR and pipes have no colours", () => {
  expect(screenOn({ isTTY: true }).screen.paint("x", "red")).toBe("\u001b[31mx\u001b[0m")
  expect(screenOn({ isTTY: true }, { NO_COLOR: "1" }).screen.paint("x", "red")).toBe("x")
  expect(screenOn({ isTTY: false }).screen.paint("x", "red")).toBe("x")
})

test("[demo.screen] draws over what it drew last, and not over what was said since", () => {
  const { screen, written } = screenOn({ isTTY: true })
  screen.draw(["one", "two"])
  screen.draw(["three", "four"])
  screen.say("stays")
  screen.draw(["five"])
  expect(written()).toBe(
    "\u001b[2Kone\n\u001b[2Ktwo\n\u001b[2A\u001b[2Kthree\n\u001b[2Kfour\nstays\n\u001b[2Kfive\n"
  )
})
