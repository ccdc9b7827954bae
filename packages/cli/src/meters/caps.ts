import { type Meter, Meters } from "@atrium/domain/meters/Caps"
import type { Caps } from "@atrium/domain/meters/CapsApi"
import { Console, Effect, Option } from "effect"
import { Argument, Command, Flag } from "effect/cli"

import { openOwn, type Target } from "../projects/CommandProject.ts"
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

/** `atrium caps` with the flags that its subcommand takes as well. */
const group = Command.make("caps", { json, ceilings: ceiling }).pipe(
  Command.withSharedFlags(target)
)

const show = Command.withHandler(
  group,
  Effect.fn("atrium.caps")(function* (input) {
    yield* setAndShow(input, { ceilings: input.ceilings, json: input.json })
  })
)

const set = Command.make(
  "set",
  {
    meter: Argument.Literals("meter", Meters).pipe(
      Argument.withDescription("The meter that the ceiling is for")
    ),
    value: Argument.String("ceiling").pipe(
      Argument.withDescription("A whole number in the meter's own unit, or none to clear it"),
      Argument.filterMap(
        (text) => Option.fromUndefinedOr(readValue(text)),
        () => "a whole number of at most 15 digits, or none"
      )
    ),
    json
  },
  Effect.fn("atrium.caps.set")(function* (input) {
    const { meter, value } = input
    yield* setAndShow(yield* group, { ceilings: [[meter, value]], json: input.json })
  })
).pipe(
  Command.withDescription("Set the ceiling of one meter, or clear it"),
  Command.withExamples([{ command: "atrium caps set roomHours 100" }])
)

/** `atrium caps`: where a project stands against its caps, and its owner's ceilings. */
export const caps = show.pipe(
  Command.withExamples([
    { command: "atrium caps --set roomHours=100 --set storageBytes=none" },
    { command: "atrium caps set roomHours 100" }
  ]),
  Command.withSubcommands([set])
)

interface Asked {
  /** What is to be set; empty = nothing. */
  readonly ceilings: ReadonlyArray<Ceiling>
  readonly json: boolean
}

const setAndShow = Effect.fnUntraced(function* (at: Target, { ceilings, json: asJson }: Asked) {
  const { ask, caps: routes, project } = yield* openOwn(at)
  const request = { params: { id: project.id }, query: {} }
  const call =
    ceilings.length === 0
      ? routes.read(request)
      : routes.set({ ...request, payload: { caps: Object.fromEntries(ceilings) } })
  const standing = yield* ask(call)
  yield* Console.log(asJson ? JSON.stringify(standing) : yield* tableFor(rowsOf(standing), columns))
})

type Ceiling = readonly [Meter, number | null]

function readCeiling(text: string): Ceiling | null {
  const [, name, value = ""] = /^([A-Za-z]+)=(\w+)$/.exec(text) ?? []
  const meter = Meters.find((each) => each === name)
  const read = readValue(value)
  return meter === undefined || read === undefined ? null : [meter, read]
}

/** @returns `undefined` = it is neither a whole number nor `none` */
function readValue(text: string): number | null | undefined {
  if (text === "none") return null
  return /^\d{1,15}$/.test(text) ? Number(text) : undefined
}

interface Row {
  readonly meter: Meter
  readonly standing: Caps["meters"][Meter]
}

const rowsOf = ({ meters }: Caps): ReadonlyArray<Row> =>
  Meters.map((meter) => ({ meter, standing: meters[meter] }))

const columns: ReadonlyArray<Column<Row>> = [
  { title: "METER", cell: ({ meter }) => meter, weight: 9 },
  { title: "USED", cell: ({ standing }) => usedText(standing.used), weight: 8 },
  { title: "ALLOWANCE", cell: ({ standing }) => String(standing.allowance), weight: 5 },
  { title: "CEILING", cell: ({ standing }) => String(standing.ceiling ?? "none"), weight: 6 },
  { title: "STATE", cell: ({ standing }) => standing.state, weight: 7 }
]

/** Hours and minutes to the thousandth, cut off: a ceiling is shown as reached only when it is. */
function usedText(used: number): string {
  return String(Math.floor(used * 1000) / 1000)
}
