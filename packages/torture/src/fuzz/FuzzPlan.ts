import { parseArgs } from "node:util"

import { type Part, Parts } from "./Tally.ts"

/** How much is done, and until when. */
export interface FuzzPlan {
  readonly seed: number
  /** In all. */
  readonly frames: number
  readonly socketFrames: number
  readonly hostFrames: number
  /** HTTP requests beside the frames. */
  readonly requests: number
  /** Hostile room processes. */
  readonly rooms: number
  /** Moments of `performance.now()`. */
  readonly servedUntilMs: number
  readonly askedUntilMs: number
  readonly endsAtMs: number
  /** One part instead of all, or one case of it. */
  readonly only: { readonly part: Part; readonly index: number | null } | null
}

export const usage = `npm run fuzz [-- options]

  --seed N       where all chance comes from; without it, a new one
  --frames N     frames in all (1,000,000)
  --requests N   HTTP requests (10,000)
  --seconds N    ends earlier when that time is over (540)
  --only PART    with --case: one case again; PART is ${Parts.join(", ")}
                 (http also without --case: all of its requests and nothing else)
  --case N       its number
  --help         this text
`

/** Shares of the frames. The rest goes to the readers, which take the most in the same time. */
const SocketShare = 0.12
const HostShare = 0.03
/** One hostile room for so many frames: each takes processes and seconds. */
const FramesPerRoom = 8_000
const RoomsMin = 10
/** The part of the time in which the service is under fire. */
const ServedShare = 0.6
/** The part of the time after which no request is begun. */
const AskedShare = 0.8
const RequestsDefault = 10_000

export const planOf = (size: {
  readonly seed: number
  readonly frames: number
  readonly seconds: number
  readonly requests?: number
}): FuzzPlan => {
  const nowMs = performance.now()
  const { seed, frames, seconds, requests = RequestsDefault } = size
  return {
    seed,
    frames,
    requests,
    only: null,
    socketFrames: Math.floor(frames * SocketShare),
    hostFrames: Math.floor(frames * HostShare),
    rooms: Math.max(RoomsMin, Math.floor(frames / FramesPerRoom)),
    servedUntilMs: nowMs + ServedShare * seconds * 1000,
    askedUntilMs: nowMs + AskedShare * seconds * 1000,
    endsAtMs: nowMs + seconds * 1000
  }
}

const wholeOf = (text: string): number => (/^\d{1,10}$/.test(text) ? Number(text) : Number.NaN)

/** What the person asked for; one sentence about what is wrong with it; `null` = the help. */
export const readPlan = (
  args: ReadonlyArray<string>,
  freshSeed: number
): FuzzPlan | string | null => {
  const text = { type: "string" } as const
  const flag = { type: "boolean" } as const
  const sizes = { seed: text, frames: text, requests: text, seconds: text }
  const options = { ...sizes, only: text, case: text, help: flag }
  try {
    const { values } = parseArgs({ args: [...args], options })
    if (values.help === true) return null
    const seed = wholeOf(values.seed ?? String(freshSeed))
    const frames = wholeOf(values.frames ?? "1000000")
    const seconds = wholeOf(values.seconds ?? "540")
    const requests = wholeOf(values.requests ?? String(RequestsDefault))
    const numbers = [seed, frames, seconds, requests]
    if (!numbers.every(Number.isInteger)) return "An option is not a whole number."
    const plan = planOf({ seed, frames, seconds, requests })
    if (values.only === undefined) return plan
    const part = Parts.find((name) => name === values.only)
    if (part === undefined) return `--only is not one of ${Parts.join(", ")}.`
    if (part === "http" && values.case === undefined)
      return { ...plan, only: { part, index: null } }
    const index = wholeOf(values.case ?? "")
    return Number.isInteger(index) ? { ...plan, only: { part, index } } : "--only needs --case."
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}
