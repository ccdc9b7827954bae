import { Chance } from "@atrium/api/testing/Chance"

import { acts, type Weighed } from "./Acts.ts"
import type { Coverage } from "./Coverage.ts"
import { filmedCallMishaps } from "./FilmedCallActs.ts"
import { gameActs, gameMishaps } from "./GameActs.ts"
import { checkLimiters } from "./Limiters.ts"
import { mishaps } from "./Mishaps.ts"
import { type Parts, rightParts } from "./Parts.ts"
import { checkRelay } from "./Relay.ts"
import { replayActs, replayMishaps } from "./ReplayActs.ts"
import { checkRest, comeToRest } from "./Rest.ts"
import { Scene } from "./Scene.ts"
import { versionActs, versionMishaps } from "./VersionActs.ts"
import { noneLed } from "./VersionWatch.ts"
import { Violation } from "./Violation.ts"
import { voiceActs, voiceMishaps } from "./VoiceActs.ts"

/** One run: the same plan has the same history, to the byte. */
export interface Plan {
  readonly seed: number
  readonly steps: number
  /** The steps that are taken; `null` = all. */
  readonly only: ReadonlySet<number> | null
}

/** In one world of so many the versions of a game store something else, and migrations lead from one to the next. */
const [leadsOneIn, leadsFrom] = [9, 2]

const leads = ({ seed }: Plan): boolean => seed % leadsOneIn === leadsFrom

/** In one world of so many the rooms record themselves. The versions of these games store the same. */
const [filmsOneIn, filmsFrom] = [27, 6]

/** In as many others they record themselves and have calls. */
const filmedCallsFrom = 15

const hasFilmedCalls = ({ seed }: Plan): boolean => seed % filmsOneIn === filmedCallsFrom

const films = (plan: Plan): boolean => plan.seed % filmsOneIn === filmsFrom || hasFilmedCalls(plan)

/** In one world of nine, and in none of those, the rooms have calls. */
const talkSeeds = [1, 4]

const talks = (plan: Plan): boolean =>
  talkSeeds.includes(plan.seed % (2 * leadsOneIn)) || hasFilmedCalls(plan)

/** The broken promise, and the step that broke it. */
export interface Finding {
  readonly rule: string
  readonly message: string
  /** How many steps had been taken. */
  readonly step: number
  readonly trace: (count: number) => ReadonlyArray<string>
}

/** How often each kind of promise was made. */
export interface Promises {
  readonly writes: number
  readonly deletions: number
  readonly settings: number
  readonly restores: number
  /** Ends of processes that rooms share, each told to a room that it was not to count for. */
  readonly spared: number
  /** Processes whose time was compared. */
  readonly metered: number
  /** What was acknowledged to rooms: words in KV, scores on boards, and games of ratings. */
  readonly words: number
  readonly scores: number
  readonly games: number
  /** Times of participants in calls. */
  readonly talked: number
  /** Tickets that were matched. */
  readonly matched: number
  /** Clips that rooms were told of, and chunks of recordings, as they are stored at the end. */
  readonly clips: number
  readonly chunks: number
  /** How often the media of calls died beside a recording, while the store stood still. */
  readonly filmedCallsLost: number
  /** Starts on state that migrations have led: one or more, several in a row, and back. */
  readonly led: number
  readonly chained: number
  readonly ledBack: number
  /** Starts that gave up what was stored, and rooms that stayed on their version. */
  readonly discarded: number
  readonly stayed: number
}

/** The result of a run. */
export interface Run {
  readonly finding: Finding | null
  readonly hash: number
  readonly coverage: Coverage
  readonly promises: Promises
}

/** How much of a world's history goes wrong; 0 = nothing does. */
const mishapShares = [0, 1, 2, 4] as const

/** One in so many steps without a mishap is about games. */
const gamesOneIn = 3

const allMishaps = [...mishaps, ...gameMishaps]
const talkMishaps = [...mishaps, ...voiceMishaps]
const leadMishaps = [...mishaps, ...versionMishaps]
const filmMishaps = [...mishaps, ...replayMishaps]
const filmActs = [...gameActs, ...replayActs]
const filmedCallActs = [...filmActs, ...voiceActs]
const allFilmedCallMishaps = [...filmMishaps, ...voiceMishaps, ...filmedCallMishaps]

const limiterCalls = 40
const relayCalls = 60
const gapMsMax = [20, 400, 2000, 12 * 1000] as const

/** Lives through a plan, lets everything come to rest, and tells what was broken. */
export const simulate = (plan: Plan, parts: Parts = rightParts): Run => {
  const kind = { leads: leads(plan), films: films(plan), talks: talks(plan) }
  const scene = new Scene({ seed: plan.seed, ...kind }, parts)
  const { world } = scene
  let step = 0
  let error: unknown = null
  try {
    checkLimiters(plan.seed, parts.makeLimiter, limiterCalls)
    checkRelay(plan.seed, parts.relay, relayCalls)
    for (; step < plan.steps && world.violation === null; step++) {
      if (plan.only === null || plan.only.has(step)) take(scene, plan, step)
    }
    if (world.violation === null) comeToRest(scene)
    if (world.violation === null) checkRest(scene)
  } catch (thrown) {
    error = thrown
  }
  const broken = world.violation ?? error
  const { trace, witness, steps, meters, calls, games, versions } = world
  const ledOn = versions?.made ?? noneLed
  const { talked } = calls
  const { filmedCallsLost } = world
  const counted = { metered: meters.metered, talked, filmedCallsLost }
  const promises = { ...witness.made, ...counted, ...games.made, ...ledOn }
  const result = { hash: trace.hash, coverage: steps.coverage, promises }
  if (broken === null) return { ...result, finding: null }
  const { rule, message } = told(broken)
  const about = message.match(/p_[0-9a-f]+\/r?[0-9]+/g) ?? []
  return {
    ...result,
    finding: {
      rule,
      message,
      step: Math.min(step + 1, plan.steps),
      trace: (count) => trace.last(count, about)
    }
  }
}

const told = (error: unknown): { readonly rule: string; readonly message: string } => {
  if (error instanceof Violation) return error
  const message = error instanceof Error ? (error.stack ?? error.message) : String(error)
  return { rule: "defect", message }
}

const take = (scene: Scene, plan: Plan, step: number): void => {
  const { world } = scene
  const { seed } = plan
  const chance = Chance.of(seed, "step", step)
  const share = mishapShares[seed % mishapShares.length] ?? 0
  world.timeline.pass(chance.below(chance.pick(gapMsMax)))
  const peaceful = chance.one(gamesOneIn) ? oftenIn(plan) : acts
  const wrong = wrongIn(plan)
  const act = draw(chance.below(10) < share ? wrong : peaceful, chance)
  world.trace.note(`  > ${step} ${act(scene, chance)}`)
}

const oftenIn = (plan: Plan): ReadonlyArray<Weighed> => {
  if (hasFilmedCalls(plan)) return filmedCallActs
  return leads(plan) ? versionActs : films(plan) ? filmActs : talks(plan) ? voiceActs : gameActs
}

const wrongIn = (plan: Plan): ReadonlyArray<Weighed> => {
  if (hasFilmedCalls(plan)) return allFilmedCallMishaps
  return leads(plan)
    ? leadMishaps
    : films(plan)
      ? filmMishaps
      : talks(plan)
        ? talkMishaps
        : allMishaps
}

const draw = (from: ReadonlyArray<Weighed>, chance: Chance): Weighed["act"] => {
  const sum = from.reduce((total, { weight }) => total + weight, 0)
  let left = chance.below(sum)
  for (const { weight, act } of from) {
    left -= weight
    if (left < 0) return act
  }
  throw new Error("the weights do not add up")
}
