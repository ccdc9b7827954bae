import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"

import { playQueue } from "@atrium/actors/match/testing/QueuePlay"
import { spreadPlot, waitPlot } from "@atrium/sim/match/QueuePlots"

// Draws the pictures of docs/performance.md, "Quick match": the machine of a queue alone, with a seed.

const crowd = {
  seed: 11,
  perSecond: 50,
  seconds: 600,
  parties: [
    { size: 1, weight: 8 },
    { size: 2, weight: 3 },
    { size: 5, weight: 1 }
  ]
}

const folder = join(import.meta.dirname, "../docs/pictures")
const { met, expired, left } = playQueue(crowd)
mkdirSync(folder, { recursive: true })
writeFileSync(join(folder, "match-spread.svg"), spreadPlot(met))
writeFileSync(join(folder, "match-waits.svg"), waitPlot(met))
process.stdout.write(`${met.length} matched, ${expired} expired, ${left} still wait\n`)
