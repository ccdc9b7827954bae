import { parseArgs } from "node:util"

import { type Workload, Workloads } from "./Figure.ts"
import type { Extent } from "./Sizes.ts"

export const usage = `npm run bench [-- options]

  --only W1,W3   these workloads alone
  --quick        small sizes: proves that everything runs, its figures mean little
  --thorough     W3 beside up to 2,000 rooms, too: takes a quarter of an hour more, and
                 all memory but 3 GiB; a size that does not fit is left out, and is named
  --json         one JSON document on stdout instead of the table
  --strict       exit 1 when a goal is missed
  --help         this text
`

export interface BenchArguments {
  readonly only: ReadonlyArray<Workload>
  readonly extent: Extent
  readonly json: boolean
  readonly strict: boolean
  readonly help: boolean
}

/** What the person asked for, or one sentence about what is wrong with it. */
export const readArguments = (args: ReadonlyArray<string>): BenchArguments | string => {
  try {
    const { values } = parseArgs({
      args: [...args],
      options: {
        only: { type: "string" },
        quick: { type: "boolean", default: false },
        thorough: { type: "boolean", default: false },
        json: { type: "boolean", default: false },
        strict: { type: "boolean", default: false },
        help: { type: "boolean", default: false }
      }
    })
    const asked = values.only?.split(",") ?? Workloads
    const unknown = asked.find((name) => !isWorkload(name))
    if (unknown !== undefined) {
      return `--only: "${unknown}" is no workload; there are ${Workloads.join(", ")}.`
    }
    const { quick, thorough, json, strict, help } = values
    if (quick && thorough) return "--quick and --thorough exclude each other."
    const extent = quick ? "quick" : thorough ? "thorough" : "full"
    return { only: Workloads.filter((name) => asked.includes(name)), extent, json, strict, help }
  } catch (error) {
    // node:util says in its first sentence what is wrong, and then how to escape it.
    const said = error instanceof Error ? error.message : String(error)
    return `${said.split(/\.\s/)[0]?.replace(/\.$/, "")}.`
  }
}

const isWorkload = (name: string): name is Workload => Workloads.some((known) => known === name)
