import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

import { until } from "@atrium/domain/testing/Until"
import { chromium, type Page } from "playwright-core"

import { servePage } from "../browser/Chromium.ts"
import type { Heard, Talker } from "./talkPage.ts"

const RateHz = 48_000

/** A second of a tone, as a browser plays it again and again into its microphone. */
const toneOf = (hz: number): Buffer => {
  const bytes = Buffer.alloc(44 + 2 * RateHz)
  bytes.write("RIFF", 0)
  bytes.writeUInt32LE(bytes.length - 8, 4)
  bytes.write("WAVEfmt ", 8)
  bytes.writeUInt32LE(16, 16)
  bytes.writeUInt16LE(1, 20)
  bytes.writeUInt16LE(1, 22)
  bytes.writeUInt32LE(RateHz, 24)
  bytes.writeUInt32LE(2 * RateHz, 28)
  bytes.writeUInt16LE(2, 32)
  bytes.writeUInt16LE(16, 34)
  bytes.write("data", 36)
  bytes.writeUInt32LE(2 * RateHz, 40)
  for (let at = 0; at < RateHz; at++) {
    const sample = 12_000 * Math.sin((2 * Math.PI * hz * at) / RateHz)
    bytes.writeInt16LE(Math.round(sample), 44 + 2 * at)
  }
  return bytes
}

/** Flags of a browser whose microphone is a file, and that takes media from its own machine. */
const flagsOf = (tone: string): ReadonlyArray<string> => [
  "--no-sandbox",
  "--use-fake-ui-for-media-stream",
  "--use-fake-device-for-media-stream",
  `--use-file-for-fake-audio-capture=${tone}`,
  "--allow-loopback-in-peer-connection",
  "--disable-features=WebRtcHideLocalIpsWithMdns",
  "--autoplay-policy=no-user-gesture-required"
]

/** A player in a browser, with a microphone that says one tone. */
export interface BrowserTalker {
  readonly page: Page
  /** Gets into the call of the room. */
  talk(range?: number): Promise<void>
  heard(): Promise<Heard>
  sides(): Promise<ReturnType<Talker["sides"]>>
  state(): Promise<ReturnType<Talker["state"]>>
  /** Calls a function of the player's page. */
  does<Name extends "mute" | "setVolume" | "move" | "team" | "hangUp" | "leave">(
    name: Name,
    ...args: Parameters<Talker[Name]>
  ): Promise<void>
}

/** Players of one test: a page, and a browser for each of them. */
export const makeTalkers = async (executablePath: string) => {
  const folder = mkdtempSync(join(tmpdir(), "atrium-voice-"))
  const served = await servePage(join(import.meta.dirname, "talkPage.ts"))
  const ends: Array<() => Promise<void>> = []

  const open = async (
    hz: number,
    to: { readonly url: string; readonly project: string; readonly roomId: string }
  ): Promise<BrowserTalker> => {
    const tone = join(folder, `${hz}.wav`)
    writeFileSync(tone, toneOf(hz))
    const browser = await chromium.launch({ executablePath, args: [...flagsOf(tone)] })
    ends.push(() => browser.close())
    const page = await browser.newPage()
    await page.goto(served.url)
    await page.waitForFunction(() => "join" in window)
    await page.evaluate(async ({ url, project, roomId }) => {
      window.talker = await window.join(url, project, roomId)
    }, to)
    return {
      page,
      talk: (range) => page.evaluate((from) => window.talker.talk(from), range),
      heard: () => page.evaluate(() => window.talker.heard()),
      sides: () => page.evaluate(() => window.talker.sides()),
      state: () => page.evaluate(() => window.talker.state()),
      does: async (name, ...args) => {
        await page.evaluate(
          ({ called, given }) => Reflect.apply(window.talker[called], null, given),
          { called: name, given: args }
        )
      }
    }
  }

  const end = async (): Promise<void> => {
    await Promise.all(ends.map((each) => each()))
    await served.end()
    rmSync(folder, { recursive: true, force: true })
  }
  return { open, end }
}

/** Hears a tone, to a bin of the FFT. */
export const hears = (talker: BrowserTalker, hz: number): Promise<true> =>
  until(`${hz} Hz`, async () => {
    const { hz: heard, decibels, binHz } = await talker.heard()
    return decibels > -60 && Math.abs(heard - hz) <= binHz
  })

export const hearsNothing = (talker: BrowserTalker): Promise<true> =>
  until("silence", async () => (await talker.heard()).decibels < -90)

/** Leaves the other's group: a message to a room that restarts is lost, so each look sends it again. */
export const leavesGroupOf = (talker: BrowserTalker, other: BrowserTalker): Promise<true> =>
  until("the room takes messages again", async () => {
    await talker.does("team", "blue")
    return (await other.heard()).decibels < -90
  })

/** How long the player is without sound by an act that ends the call, in milliseconds. */
export const silenceAfter = async (
  act: () => Promise<unknown> | void,
  ...ears: ReadonlyArray<readonly [talker: BrowserTalker, hz: number]>
): Promise<number> => {
  const before = await Promise.all(ears.map(([talker]) => talker.state()))
  await act()
  await Promise.all(
    ears.map(([talker], at) =>
      until("the end of the call", async () => (await talker.state()).ends !== before[at]?.ends)
    )
  )
  const beganAtMs = performance.now()
  await Promise.all(
    ears.map(async ([talker, hz]) => {
      // Until then a player may hear the end of the call before.
      await until("the next call", async () => (await talker.state()).connected)
      await hears(talker, hz)
    })
  )
  return performance.now() - beganAtMs
}
