import { endpointOf } from "@atrium/sdk/client/Endpoint"
import { expect, test } from "vitest"

import { isBottleneck } from "./Generator.ts"
import { LoadFigures } from "./LoadFigures.ts"
import { momentAt, type LoadPlan } from "./LoadPlan.ts"
import { LoadLooks, loadReport } from "./LoadReport.ts"
import { liveText, lookLine, reportText } from "./LoadText.ts"
import { judge } from "./Thresholds.ts"

const plan: LoadPlan = {
  arrival: "players",
  phases: [{ name: "stage 1", durationMs: 90_000, target: 1_500 }]
}

/** Players who were busy: every figure has something to say. */
const busy = (): LoadFigures => {
  const figures = new LoadFigures()
  for (const ms of [10, 20, 300]) figures.add("joinMs", ms)
  figures.add("patchMs", 42)
  figures.refused.add("E_ROOM_FULL")
  for (const _ of [1, 2]) figures.dropped.add("1012 E_ROOM_RESTARTING")
  return Object.assign(figures, {
    started: 4,
    joined: 3,
    rejoined: 2,
    messages: 1_000,
    patches: 2_000,
    bytesIn: 3 * 1024 * 1024,
    bytesOut: 2_048,
    playersMost: 3,
    roomsMost: 1
  })
}
const generator = { cpuSeconds: 4, cores: 0.5, busiest: 0.9, looks: 20, overloaded: 2 }

test("[sim.load.report] people read all of it, with what was missed and who the bottleneck was", () => {
  const figures = busy()
  const report = loadReport({
    asked: {
      scenario: "scenario.yaml",
      endpoint: endpointOf("ws://127.0.0.1:8787"),
      project: "dev",
      type: "arena",
      scale: 0.01,
      seed: 1,
      sends: { message: "input", bytes: 7, asked: 9 }
    },
    plan,
    figures,
    generator,
    thresholds: judge({ joinMs: ["p(99)<100"], refused: ["rate<=0.25"] }, figures.measured),
    ended: "stopped",
    elapsedMs: 61_000,
    stayed: 1
  })
  expect(reportText(report)).toBe(`\
service       ws://127.0.0.1:8787, project dev, room type arena
run           1m01s, stopped before its end; scale 0.01, seed 1
players       3 at once in 1 rooms
joins         3 of 4; refused: 1 × E_ROOM_FULL
connections   2 came back, 0 did not; dropped: 2 × 1012 E_ROOM_RESTARTING
messages      1,000 sent, 0 of them late; 2,000 patches and 0 messages of others came
bytes         2.00 KiB out, 3.00 MiB in
join          p50 20.0, p95 300, p99 300, most 300 ms (3)
patch         p50 42.0, p95 42.0, p99 42.0, most 42.0 ms (1)
ping          nothing was measured
this process  0.50 cores, 4.0 s of CPU; its loop was 90 % busy at most
missed        joinMs p(99)<100: 300
kept          refused rate<=0.25: 0.25
note          this process had no time left for 2 of 20 s: its times are its own there, and not the service's; take a smaller --scale, or a machine that has CPU left
note          the message input has 7 bytes; the scenario says 9
note          1 players had not left 10 s after
left out      voice, durable calls and matchmaking
left out      deploys, dying runners and runaway loops of \`events\`
left out      where on earth players are: all of them are on this machine`)
})

test("[sim.load.report] a look says what happened since the look before", () => {
  const figures = busy()
  const looks = new LoadLooks(plan, figures)
  const at = (elapsedMs: number) =>
    looks.next({
      elapsedMs,
      moment: momentAt(plan, elapsedMs),
      playing: 3,
      rooms: 1,
      spanMs: 90_000,
      generator: { cores: 0.25, busy: 0.5 }
    })
  at(2_000)
  figures.messages += 30
  figures.add("joinMs", 5)
  const look = at(4_000)
  expect(liveText(look)).toBe(`\
run           4s of 1m30s, stage 1
players       3 in 1 rooms, of 67 wanted now, 1,500 at most
joins         3 done, 1 refused, 2 connections dropped
join          p50 5.00 ms, p99 5.00 ms
patch         –
ping          –
per second    15 messages out, 0 patches in, 0 B out, 0 B in
this process  0.25 cores, its loop 50 % busy`)
  expect(lookLine(look)).toBe(
    "4s | stage 1 | 3 players in 1 rooms | 3 joined | 1 refused | 2 dropped | join p50 5.00 ms, p99 5.00 ms | patch – | loop 50 % busy"
  )
})

test("[sim.load.report] this process is the bottleneck when more than one look of twenty was busy", () => {
  expect(isBottleneck({ ...generator, overloaded: 1 })).toBe(false)
  expect(isBottleneck({ ...generator, overloaded: 2 })).toBe(true)
  expect(isBottleneck({ ...generator, looks: 0, overloaded: 0 })).toBe(false)
})
