import { defineConfig } from "vitest/config"

import { SlowestFirst } from "./scripts/slowestFirst.ts"

const tests = ["packages/*/src", "examples/*", "scripts"]
const endToEnd = tests.map((folder) => `${folder}/**/*.e2e.test.ts`)
/** What only guards a number, or runs for minutes: npm run test:long. */
const long = tests.map((folder) => `${folder}/**/*.long.test.ts`)
/** What they do in a given time is what is tested: one file at a time. */
const timed = [
  "packages/torture/src/isolation/Hogs.e2e.test.ts",
  "packages/api/src/rooms/LongList.e2e.test.ts",
  "packages/api/src/start/SimLoad.e2e.test.ts"
]
/** The whole suite against a whole service. It waits a third of its time, in which the units run: they give way to it. */
const conformance = "scripts/conformance.test.ts"

export default defineConfig({
  test: {
    globalSetup: ["scripts/testDatabase.ts"],
    // They end what hangs: what must be quick is measured by its test. Units give way to the suite
    // (`scripts/giveWay.ts`): what takes a few seconds by itself has taken two minutes beside it.
    testTimeout: 600_000,
    hookTimeout: 600_000,
    // As long as `until` waits; `expect.poll` gives up after a second by itself.
    expect: { poll: { timeout: 120_000, interval: 20 } },
    // No test changes what others of its worker see; to load Effect anew for each file took half of the run.
    isolate: false,
    // Node loads the sources itself, as everywhere else: what Vite makes of them is slower to load and to run.
    experimental: { viteModuleRunner: false, nodeLoader: false },
    sequence: { sequencer: SlowestFirst },
    tags: [
      {
        name: "thorough",
        description:
          "more faults, more runners, more versions of Node than `npm test` tries: npm run test:thorough"
      }
    ],
    projects: [
      {
        extends: true,
        test: {
          name: "conformance",
          include: [conformance],
          maxWorkers: 3,
          sequence: { groupOrder: 0 }
        }
      },
      {
        extends: true,
        test: {
          name: "units",
          include: tests.map((folder) => `${folder}/**/*.test.ts`),
          exclude: [...endToEnd, ...long, conformance],
          setupFiles: ["scripts/giveWay.ts"],
          maxWorkers: 3,
          sequence: { groupOrder: 0 }
        }
      },
      {
        extends: true,
        test: {
          name: "e2e",
          include: endToEnd,
          exclude: timed,
          maxWorkers: 3,
          sequence: { groupOrder: 1 }
        }
      },
      {
        extends: true,
        test: { name: "timed", include: timed, maxWorkers: 1, sequence: { groupOrder: 2 } }
      },
      {
        extends: true,
        test: { name: "long", include: long, maxWorkers: 1, sequence: { groupOrder: 3 } }
      }
    ]
  }
})
