import type { ProjectFigures } from "@atrium/domain/metrics/ProjectFigures"
import { defineSchema, s } from "@atrium/sdk/schema"
import { Result } from "effect"
import { expect, test } from "vitest"

import { readScenario } from "../scenario/ScenarioText.ts"
import { scenarioDraft } from "./ScenarioDraft.ts"

const declared = defineSchema({
  type: "race",
  class: "large",
  maxClients: 12,
  tickHz: 30,
  hibernateAfterMs: 1_500,
  retention: "7d",
  entities: { cars: { x: s.f32() } }
})
const schema = { path: "schema.ts", declared }

const read = (text: string) => Result.getOrThrow(readScenario(text))

test("[sim.init] a draft says of the game what its schema says, and is a scenario", () => {
  const text = scenarioDraft({ schema, project: null })
  const { game } = read(text)
  expect(game).toMatchObject({
    schema: "schema.ts",
    class: "large",
    maxClients: 12,
    tickHz: 30,
    hibernateAfter: 1500,
    retention: "7d",
    up: { hz: 20 }
  })
  expect(game.patchBytes).toBeGreaterThan(12 * 4)
  // Every value has its meaning above it, and a guess says that it is one.
  expect(text).toMatch(/# Players of a working day\. A guess: change it\.\n {2}daily: 1000\n/)
  expect(text).toMatch(/# Ticks a second; .*\n {2}tickHz: 30\n/)
})

test("[sim.init] without a schema every value of the game is a guess", () => {
  const text = scenarioDraft({ schema: null, project: null })
  expect(read(text).game.schema).toBeUndefined()
  expect(text).toContain("No schema was given: all of game is a guess.")
})

const figures: ProjectFigures = {
  before: {
    sockets: 10,
    roomsByState: { starting: 0, awake: 2, draining: 0, hibernated: 1, restarting: 0, closed: 0 },
    ingressBytes: 1_000,
    egressBytes: 50_000,
    rss: 0
  },
  after: {
    sockets: 10,
    roomsByState: { starting: 0, awake: 2, draining: 0, hibernated: 1, restarting: 0, closed: 0 },
    ingressBytes: 1_000 + 5 * 10 * 400,
    egressBytes: 50_000 + 5 * 10 * 30 * 90,
    rss: 0
  },
  apartMs: 5_000,
  rooms: [],
  details: [300, 0, 100, 200].map((stateBytes, index) => ({
    roomId: `room-${index}`,
    status: "awake",
    type: "race",
    class: "large",
    retention: null,
    retentionOverride: null,
    deletesAt: null,
    saves: 0,
    stateBytes,
    lastSeen: "2026-01-01T00:00:00.000Z"
  }))
}

test("[sim.init] a project's figures count more than an estimate", () => {
  const project = { id: "p_0123456789abcdef", figures }
  const text = scenarioDraft({ schema, project })
  // 90 bytes a patch, 30 times a second; 400 bytes a second up, in 20 messages; the middle state.
  expect(read(text).game).toMatchObject({
    patchBytes: 90,
    up: { hz: 20, bytes: 20 },
    stateBytes: 200
  })
  expect(text).toContain(
    "# Size of one patch to one player. Measured: 2700 bytes a second to each connection."
  )
  expect(text).toContain("Measured: the median of 3 rooms.")
  expect(text).toContain("Measured now: 10 connections, 0 rooms.")
})

test("[sim.init] figures of a project without players change no estimate", () => {
  const still = {
    ...figures,
    before: { ...figures.before, sockets: 0 },
    after: { ...figures.before, sockets: 0 },
    details: []
  }
  const project = { id: "p_0123456789abcdef", figures: still }
  expect(read(scenarioDraft({ schema, project })).game).toEqual(
    read(scenarioDraft({ schema, project: null })).game
  )
})
