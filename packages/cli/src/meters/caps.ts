import { type Meter, Meters } from "@atrium/domain/meters/Caps"
import type { Caps } from "@atrium/domain/meters/CapsApi"
import { Console, Effect, Option } from "effect"
import { Command, Flag } from "effect/cli"

import { openOwn } from "../projects/CommandProject.ts"
import { json, target } from "../projects/ProjectParameters.ts"
import { type Column, tableFor } from "../terminal/Table.ts"

const ceiling = Flag.String("set").pipe(
  Flag.withDescription(
    `A ceiling such as roomHours=100, or roomHours=none to clear it; meters: ${Meters.join(", ")}`
  ),
  Flag.filterMap(
    (text) => Option.fromNullishOr(readCeiling(text)),
    () => `a meter (${Meters.join(", ")}), = and a whole number or none`
  ),
  Flag.atMost(Meters.length)
)

/** `atrium caps`: where a project stands against its caps, and its owner's ceilings. */
export const caps = Command.make(
  "caps",
  { ...target, json, ceilings: ceiling },
  Effect.fn("atrium.caps")(function* (input) {
    const { ask, caps: routes, project } = yield* openOwn(input)
    const request = { params: { id: project.id }, query: {} }
    const call =
      input.ceilings.length === 0
        ? routes.read(request)
        : routes.set({ ...request, payload: { caps: Object.fromEntries(input.ceilings) } })
    const standing = yield* ask(call)
    if (input.json) return yield* Console.log(JSON.stringify(standing))
    yield* Console.log(yield* tableFor(rowsOf(standing), columns))
  })
).pipe(
  Command.withExamples([{ command: "atrium caps --set roomHours=100 --set storageBytes=none" }])
)

function readCeiling(text: string): readonly [Meter, number | null] | null {
  const [, name, value] = /^([A-Za-z]+)=(\d{1,15}|none)$/.exec(text) ?? []
  const meter = Meters.find((each) => each === name)
  if (meter === undefined || value === undefined) return null
  return [meter, value === "none" ? null : Number(value)]
}

interface Row {
  readonly meter: Meter
  readonly standing: Caps["meters"][Meter]
}

const rowsOf = ({ meters }: Caps): ReadonlyArray<Row> =>
  Meters.map((meter) => ({ meter, standing: meters[meter] }))

const columns: ReadonlyArray<Column<Row>> = [
  { title: "METER", cell: ({ meter }) => meter, weight: 9 },
  { title: "USED", cell: ({ standing }) => String(standing.used), weight: 8 },
  { title: "ALLOWANCE", cell: ({ standing }) => String(standing.allowance), weight: 5 },
  { title: "CEILING", cell: ({ standing }) => String(standing.ceiling ?? "none"), weight: 6 },
  { title: "STATE", cell: ({ standing }) => standing.state, weight: 7 }
]
