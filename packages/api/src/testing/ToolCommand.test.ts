import { Effect } from "effect"
import { Command, Flag } from "effect/cli"
import { afterEach, expect, test, vi } from "vitest"

import { Misused, numberFlag, runTool, switchFlag, wholeFlag } from "./ToolCommand.ts"

const ran: Array<unknown> = []
const said: Array<unknown> = []

const dig = Command.make(
  "dig",
  {
    depth: wholeFlag("depth", { least: 1, most: 20 }).pipe(Flag.withDefault(7)),
    width: numberFlag("width", { least: 0.1, most: 2 }).pipe(Flag.withDefault(1)),
    dry: switchFlag("dry")
  },
  Effect.fnUntraced(function* (input) {
    if (input.dry && input.depth === 20) return yield* new Misused({ message: "too deep" })
    if (input.width === 2) return yield* Effect.die(new Error("the spade broke"))
    ran.push(input)
  })
)
const tool = Command.make("tool").pipe(Command.withSubcommands([dig]))

const run = async (line: string) => {
  vi.spyOn(console, "error").mockImplementation((text) => said.push(text))
  const code = await runTool(tool, line.split(" "))
  return { code, ran: ran.splice(0), said: said.splice(0).join("\n") }
}

afterEach(() => vi.restoreAllMocks())

const usual = { depth: 7, width: 1, dry: false }

test.each([
  ["dig", usual],
  ["dig --depth 1 --width 0.1", { ...usual, depth: 1, width: 0.1 }],
  ["dig --depth=20 --width=1.9", { ...usual, depth: 20, width: 1.9 }],
  ["dig --dry", { ...usual, dry: true }]
])("[D-41] %s runs", async (line, input) => {
  expect(await run(line)).toEqual({ code: 0, ran: [input], said: "" })
})

test.each([
  ["dig --depth 0", "Expected a whole number from 1 to 20\nMore: npm run tool -- dig --help"],
  ["dig --depth 21", "Expected a whole number from 1 to 20"],
  ["dig --depth 1.5", "Expected an integer"],
  ["dig --width 0.09", "Expected a number from 0.1 to 2"],
  ["dig --width 2.01", "Expected a number from 0.1 to 2"],
  ["dig --depth", "Missing value for flag --depth"],
  ["dig --deep", "Unrecognized flag: --deep"],
  ["dig up", 'Unexpected positional argument: "up"'],
  ["fill", 'Unknown subcommand "fill"'],
  ["dig --dry --depth 20", "too deep"]
])("[D-41] %s runs nothing, says why, and answers 2", async (line, says) => {
  const { said: shown, ...rest } = await run(line)
  expect(rest).toEqual({ code: 2, ran: [] })
  expect(shown).toContain(says)
})

test("[D-41] a fault of the tool itself is shown, and answers 1", async () => {
  const { code, said: shown } = await run("dig --width 2")
  expect([code, shown]).toEqual([1, expect.stringContaining("the spade broke")])
})
