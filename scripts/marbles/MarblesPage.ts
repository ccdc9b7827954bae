import type { ClientRoom } from "@atrium/sdk/client"
import type { Browser, Page } from "playwright-core"

import type { marbles } from "../../examples/marbles/schema.ts"
import type { MarblesPrediction } from "../../examples/marbles/Steering.ts"

declare global {
  interface Window {
    /** What client.ts leaves for the console of the browser. */
    readonly marbles: {
      readonly room: ClientRoom<typeof marbles>
      readonly prediction: MarblesPrediction
    }
  }
}

export interface Player {
  readonly page: Page
  /** What the console of the browser has of errors. */
  readonly errors: ReadonlyArray<string>
}

/** How long each frame of a slow player is on its way. */
export const DelayMs = 250

/** Opens the page as a player with a small window of its own, as nothing but the processor draws, and a network that holds back each frame. */
export const openPlayer = async (
  browser: Browser,
  url: string,
  { delayMs }: { readonly delayMs: number }
): Promise<Player> => {
  const context = await browser.newContext({ viewport: { width: 200, height: 150 } })
  const page = await context.newPage()
  const errors: Array<string> = []
  page.on("pageerror", ({ message }) => errors.push(message))
  page.on("console", (line) => {
    if (line.type() === "error") errors.push(line.text())
  })
  if (delayMs > 0) {
    await page.routeWebSocket(/\/v1\/rooms\//, (socket) => {
      const server = socket.connectToServer()
      socket.onMessage((frame) => setTimeout(() => server.send(frame), delayMs))
      server.onMessage((frame) => setTimeout(() => socket.send(frame), delayMs))
    })
  }
  await page.goto(url)
  await page.waitForFunction(() => "marbles" in window)
  return { page, errors }
}

/** Where the own marble is drawn, and where the room has told it to be, along the x axis. */
interface Seen {
  readonly ms: number
  readonly drawn: number
  readonly told: number
}

/** Presses a key in the page, and tells when the own marble was drawn elsewhere, and when the room told so. */
export const answerOf = (page: Page, code: string) =>
  page.evaluate(async (pressed) => {
    const { room, prediction } = window.marbles
    const own = [...room.state.marbles].find(({ client }) => client === room.sessionId)
    if (own === undefined) throw new Error("there is no own marble")
    const beganAtMs = performance.now()
    const look = (): Seen => ({
      ms: performance.now() - beganAtMs,
      drawn: prediction.pose("marbles", own)?.position.x ?? Number.NaN,
      told: room.state.marbles.get(own.id)?.x ?? Number.NaN
    })
    const before = look()
    document.dispatchEvent(new KeyboardEvent("keydown", { code: pressed, bubbles: true }))
    let moved: Seen | undefined
    for (;;) {
      // Each 5 ms, as a busy machine draws so few frames that the room answers between two of them.
      await new Promise((resolve) => setTimeout(resolve, 5))
      prediction.update()
      const now = look()
      if (moved === undefined && Math.abs(now.drawn - before.drawn) > 0.005) moved = now
      const isOver = Math.abs(now.told - before.told) > 0.005 || now.ms > 10_000
      if (isOver) return { before, moved: moved ?? now, answered: now }
    }
  }, code)
