import { writeFileSync } from "node:fs"
import { join } from "node:path"

import { lineChart } from "@atrium/sim/plan/report/Drawn"
import Rapier3 from "@dimforge/rapier3d-deterministic-compat"

import { laggedPlay } from "./prediction/LaggedPlay.ts"
import { errorsOf, summaryOf } from "./prediction/PlaySummary.ts"

// Draws the picture of docs/guide/physics.md, "Prediction": a play in virtual time, with a seed.

const shownMs = 10_000
const lines = [
  ["state", "the last state that came"],
  ["drawn", "predicted"]
] as const

await Rapier3.init()
const play = await laggedPlay({ seed: 1, seconds: 60, balls: 24 })
const frames = play.frames.filter(({ ms }) => ms < shownMs)
const rows = lines.flatMap(([by, line]) =>
  errorsOf({ ...play, frames }, { id: play.own, by }).map((y, frame) => ({
    x: (frames[frame]?.ms ?? 0) / 1000,
    y,
    line
  }))
)
const picture = lineChart(rows, { x: "seconds", y: "units" })
writeFileSync(join(import.meta.dirname, "../docs/guide/pictures/prediction.svg"), picture)
process.stdout.write(`${JSON.stringify(summaryOf(play), null, 2)}\n`)
