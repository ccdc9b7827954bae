import { afterEach, expect, test } from "vitest"

import { Mismatch } from "../check/Expect.ts"
import { cliProbe } from "./CliProbes.ts"
import { Witness } from "./Witness.ts"

const cleanups: Array<() => Promise<unknown>> = []

afterEach(async () => {
  for (const cleanup of cleanups.splice(0)) await cleanup()
})

/** A tool that is a line of JavaScript. */
const tool = (code: string) =>
  cliProbe({
    config: {
      name: "tool",
      baseUrl: "http://127.0.0.1:9",
      accounts: ["", ""],
      features: [],
      cli: { argv: [process.execPath, "-e", code], loggedInEnv: {} }
    },
    later: (clean) => void cleanups.push(clean),
    note: () => undefined,
    witness: new Witness(),
    patience: 1,
    signal: new AbortController().signal
  })

test("[conformance.cli] a command that ends before the awaited effect fails at once", async () => {
  const never = (): Promise<never> => new Promise(() => undefined)
  const ran = tool("process.stderr.write('no'); process.exit(3)").run(["dev"], { until: never })
  await expect(ran).rejects.toThrow(Mismatch)
  await expect(ran).rejects.toThrow(/exit 3: no/)
})

test("[conformance.cli] a command that goes on is ended after the awaited effect", async () => {
  const goesOn = tool("setInterval(() => {}, 1000)")
  await expect(goesOn.run(["dev"], { until: () => Promise.resolve() })).resolves.toMatchObject({
    code: -1
  })
})
