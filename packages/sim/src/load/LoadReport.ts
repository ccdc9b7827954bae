import type { Endpoint } from "@atrium/sdk/client/Endpoint"

import { type GeneratorFigures, type GeneratorLook, isBottleneck } from "./Generator.ts"
import type { LoadFigures, Spans } from "./LoadFigures.ts"
import { LoadLimits } from "./LoadLimits.ts"
import { type LoadMoment, type LoadPlan, mostOf } from "./LoadPlan.ts"
import { atIdentity } from "./LoadPlayer.ts"
import type { Judged } from "./Thresholds.ts"

/** What a run was told, for its report. */
export interface LoadAsked {
  readonly scenario: string
  readonly endpoint: Endpoint
  readonly project: string
  readonly type: string
  readonly scale: number
  readonly seed: number
  /** The message of players in rooms with code; `null` = none is known. */
  readonly sends: {
    readonly message: string
    readonly bytes: number
    readonly asked: number
  } | null
}

/** The report of a run; `--json` prints it. Spans in milliseconds, shares from 0 to 1. */
export interface LoadReport {
  readonly scenario: string
  readonly service: string
  readonly project: string
  readonly type: string
  readonly scale: number
  readonly seed: number
  /** `stopped` = before its plan was over. */
  readonly ended: "done" | "stopped"
  readonly seconds: number
  readonly arrival: LoadPlan["arrival"]
  readonly phases: ReadonlyArray<{
    readonly name: string
    readonly seconds: number
    readonly target: number
  }>
  readonly players: { readonly most: number; readonly rooms: number; readonly stayed: number }
  readonly joins: {
    readonly started: number
    readonly joined: number
    readonly refused: Readonly<Record<string, number>>
  }
  readonly connections: {
    readonly dropped: Readonly<Record<string, number>>
    readonly rejoined: number
    readonly lost: number
  }
  readonly messages: {
    readonly sent: number
    readonly late: number
    readonly refused: Readonly<Record<string, number>>
    readonly patches: number
    readonly deliveries: number
  }
  readonly bytes: { readonly in: number; readonly out: number }
  readonly spans: Spans
  readonly generator: GeneratorFigures & { readonly bottleneck: boolean }
  readonly thresholds: ReadonlyArray<Judged>
  readonly notes: ReadonlyArray<string>
  readonly leftOut: ReadonlyArray<string>
}

/** The parts of a scenario that no load test plays: every report names them. */
const loadLeftOut: ReadonlyArray<string> = [
  "voice, durable calls and matchmaking",
  "deploys, dying runners and runaway loops of `events`",
  "where on earth players are: all of them are on this machine"
]

/** What a run was and did. */
export interface LoadDone {
  readonly asked: LoadAsked
  readonly plan: LoadPlan
  readonly figures: LoadFigures
  readonly generator: GeneratorFigures
  readonly thresholds: ReadonlyArray<Judged>
  readonly ended: LoadReport["ended"]
  readonly elapsedMs: number
  /** Players who had not left when the time for it was over. */
  readonly stayed: number
}

export const loadReport = (done: LoadDone): LoadReport => {
  const { asked, plan, figures, generator } = done
  return {
    scenario: asked.scenario,
    service: asked.endpoint.ws,
    project: asked.project,
    type: asked.type,
    scale: asked.scale,
    seed: asked.seed,
    ended: done.ended,
    seconds: done.elapsedMs / 1000,
    arrival: plan.arrival,
    phases: plan.phases.map(({ name, durationMs, target }) => ({
      name,
      seconds: durationMs / 1000,
      target
    })),
    players: { most: figures.playersMost, rooms: figures.roomsMost, stayed: done.stayed },
    joins: {
      started: figures.started,
      joined: figures.joined,
      refused: figures.refused.byName
    },
    connections: {
      dropped: figures.dropped.byName,
      rejoined: figures.rejoined,
      lost: figures.lost
    },
    messages: {
      sent: figures.messages,
      late: figures.lateMessages,
      refused: figures.errors.byName,
      patches: figures.patches,
      deliveries: figures.deliveries
    },
    bytes: { in: figures.bytesIn, out: figures.bytesOut },
    spans: figures.spans,
    generator: { ...generator, bottleneck: isBottleneck(generator) },
    thresholds: done.thresholds,
    notes: notesOf(done),
    leftOut: loadLeftOut
  }
}

const notesOf = (done: LoadDone): ReadonlyArray<string> => {
  const { asked, generator, figures, stayed, plan } = done
  const { sends } = asked
  const limited = plan.arrival === "joinsPerSecond" && figures.playersMost >= LoadLimits.players.max
  return [
    ...(isBottleneck(generator)
      ? [
          `this process had no time left for ${generator.overloaded} of ${generator.looks} s: its times are its own there, and ` +
            `not the service's; take a smaller --scale, or a machine that has CPU left`
        ]
      : []),
    ...(figures.joined > 0 && figures.messages === 0
      ? ["players sent pings alone: game.up.hz is 0, or no message of game.schema is known"]
      : []),
    ...(!figures.relay && sends !== null && sends.bytes !== sends.asked
      ? [`the message ${sends.message} has ${sends.bytes} bytes; the scenario says ${sends.asked}`]
      : []),
    ...(Object.keys(figures.refused.byName).some((name) => name.endsWith(atIdentity))
      ? [
          "the service limits new identities; players of a project with a JWT secret are signed here"
        ]
      : []),
    ...(limited ? [`joins waited: a process has at most ${LoadLimits.players.max} players`] : []),
    ...(stayed > 0
      ? [`${stayed} players had not left ${LoadLimits.leaving.ms / 1000} s after`]
      : [])
  ]
}

/** What a run is doing, once a second. */
export interface LoadLook {
  readonly elapsedMs: number
  readonly spanMs: number
  readonly arrival: LoadPlan["arrival"]
  readonly moment: LoadMoment
  readonly most: number
  readonly playing: number
  readonly rooms: number
  readonly joined: number
  readonly refused: number
  readonly dropped: number
  /** Since the look before. */
  readonly spans: Spans
  readonly perSecond: {
    readonly messages: number
    readonly patches: number
    readonly bytesIn: number
    readonly bytesOut: number
  }
  readonly generator: GeneratorLook
}

type Sums = Pick<LoadFigures, "messages" | "patches" | "deliveries" | "bytesIn" | "bytesOut">

/** Looks at a run again and again. */
export class LoadLooks {
  readonly #plan: LoadPlan
  readonly #figures: LoadFigures
  #before: Sums = { messages: 0, patches: 0, deliveries: 0, bytesIn: 0, bytesOut: 0 }
  #beforeMs = 0

  constructor(plan: LoadPlan, figures: LoadFigures) {
    this.#plan = plan
    this.#figures = figures
  }

  next(
    now: Pick<LoadLook, "elapsedMs" | "moment" | "playing" | "rooms" | "generator" | "spanMs">
  ): LoadLook {
    const figures = this.#figures
    const { messages, patches, deliveries, bytesIn, bytesOut } = figures
    const sums: Sums = { messages, patches, deliveries, bytesIn, bytesOut }
    const seconds = Math.max(1e-3, (now.elapsedMs - this.#beforeMs) / 1000)
    const rate = (key: keyof Sums): number => (sums[key] - this.#before[key]) / seconds
    const look: LoadLook = {
      ...now,
      arrival: this.#plan.arrival,
      most: mostOf(this.#plan),
      joined: figures.joined,
      refused: figures.refused.total,
      dropped: figures.dropped.total,
      spans: figures.takeWindow(),
      perSecond: {
        messages: rate("messages"),
        patches: rate("patches") + rate("deliveries"),
        bytesIn: rate("bytesIn"),
        bytesOut: rate("bytesOut")
      }
    }
    this.#before = sums
    this.#beforeMs = now.elapsedMs
    return look
  }
}
