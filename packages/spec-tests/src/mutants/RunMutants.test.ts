import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"

import { expect, test } from "vitest"

import type { Check } from "../check/Check.ts"
import type { CheckResult } from "../engine/CheckResult.ts"
import { passedResult } from "../engine/testing/PassedResult.ts"
import type { Mutant } from "./Mutant.ts"
import { readMutants } from "./Mutant.ts"
import { runMutants } from "./RunMutants.ts"
import { startByArgv } from "./StartByArgv.ts"

const check = (id: string): Check => ({ ids: [id], title: id, run: () => Promise.resolve() })
const suite = {
  checks: [check("keys.id.form"), check("keys.list.array"), check("auth.403.scope")],
  ambientRules: [{ ids: ["keys.secret.once"] as const, title: "ambient", look: () => null }]
}

const resultOf = ({ ids, title }: Check, status: CheckResult["status"]): CheckResult => ({
  ...passedResult,
  ids,
  title,
  status
})

const run = async (
  mutants: ReadonlyArray<Mutant>,
  statusOf: (mutant: string | null, id: string) => CheckResult["status"]
) => {
  const stopped: Array<string | null> = []
  const asked: Array<string> = []
  const verdicts = await runMutants({
    mutants,
    suite,
    jobs: 1,
    signal: new AbortController().signal,
    onVerdict: () => undefined,
    start: (mutant) =>
      Promise.resolve({
        check: (checks) => {
          asked.push(`${mutant}: ${checks.map(({ title }) => title).join()}`)
          return Promise.resolve(checks.map((one) => resultOf(one, statusOf(mutant, one.title))))
        },
        stop: () => {
          stopped.push(mutant)
          return Promise.resolve()
        }
      })
  })
  return { stopped, asked, told: verdicts.map(({ killed, faults }) => [killed, ...faults]) }
}

const mutant = (id: string, ...killedBy: [string, ...Array<string>]): Mutant => ({
  id,
  killedBy,
  why: "it is broken"
})

test("[C-97] a mutant is killed when each of its requirements fails, and passes without it", async () => {
  const both = mutant("M-1", "keys.id.form", "keys.list.array")
  const found = await run([both], (at) => (at === null ? "pass" : "fail"))
  expect(found.told).toEqual([[true], [true]])
  expect(found.asked).toEqual([
    "null: keys.id.form,keys.list.array",
    "M-1: keys.id.form,keys.list.array"
  ])
  expect(found.stopped).toEqual([null, "M-1"])
})

test.each(["pass", "untestable", "error", "unsupported", "deviates"] as const)(
  "[C-97] a mutant survives when one of its requirements is %s",
  async (status) => {
    const both = mutant("M-1", "keys.id.form", "keys.list.array")
    const found = await run([both], (at, id) =>
      at === null ? "pass" : id === "keys.id.form" ? status : "fail"
    )
    expect(found.told).toEqual([[true], [false, `keys.id.form: ${status}: keys.id.form: `]])
  }
)

test("[C-97] an unsupported check is no fault while another check proves the same requirement", async () => {
  const both = [mutant("M-1", "keys.id.form"), mutant("M-2", "keys.list.array")]
  const off = await run(both, (at, id) =>
    at === null && id === "keys.id.form" ? "unsupported" : "pass"
  )
  expect(off.told[0]).toEqual([false, "without a mutant: keys.id.form is not proved"])
  const twice = { checks: [check("keys.id.form"), check("keys.id.form")], ambientRules: [] }
  let asked = 0
  const verdicts = await runMutants({
    mutants: [mutant("M-1", "keys.id.form")],
    suite: twice,
    jobs: 1,
    signal: new AbortController().signal,
    onVerdict: () => undefined,
    start: () =>
      Promise.resolve({
        check: (checks) =>
          Promise.resolve(
            checks.map((one) => resultOf(one, asked++ === 0 ? "unsupported" : "pass"))
          ),
        stop: () => Promise.resolve()
      })
  })
  expect(verdicts[0]?.faults).toEqual([])
})

test("[C-97] a check that fails without a mutant kills no mutant", async () => {
  const found = await run([mutant("M-1", "keys.id.form")], () => "fail")
  expect(found.told[0]).toEqual([
    false,
    "without a mutant: keys.id.form is not proved",
    "without a mutant: fail keys.id.form keys.id.form: null"
  ])
})

test("[C-97] a requirement without a check kills none; what each answer shows takes its area", async () => {
  const found = await run(
    [mutant("M-1", "rooms.list.array"), mutant("M-2", "keys.secret.once")],
    () => "pass"
  )
  expect(found.told.slice(1)).toEqual([
    [false, "rooms.list.array: no check"],
    [false, "keys.secret.once: no check"]
  ])
  expect(found.asked[2]).toBe("M-2: keys.id.form,keys.list.array")
})

test("[C-97] an implementation that does not start with it kills none", async () => {
  const verdicts = await runMutants({
    mutants: [mutant("M-1", "keys.id.form")],
    suite,
    jobs: 2,
    signal: new AbortController().signal,
    onVerdict: () => undefined,
    start: () => Promise.reject(new Error("no port"))
  })
  expect(verdicts.map(({ killed, faults }) => [killed, ...faults])).toEqual([
    [false, "it could not be run: no port"],
    [false, "it could not be run: no port"]
  ])
})

test("[C-97] files of mutants are read in order; an id twice, or none to kill it, is refused", async () => {
  const folder = await mkdtemp(join(tmpdir(), "mutants-"))
  try {
    const one = { ...mutant("M-1", "keys.id.form"), file: "its own" }
    await writeFile(join(folder, "b.json"), JSON.stringify([one]))
    await writeFile(join(folder, "a.json"), JSON.stringify([mutant("M-2", "keys.id.form")]))
    expect(readMutants(folder).map(({ id }) => id)).toEqual(["M-2", "M-1"])
    await writeFile(join(folder, "c.json"), JSON.stringify([one]))
    expect(() => readMutants(folder)).toThrow("two mutants M-1")
    await writeFile(join(folder, "c.json"), JSON.stringify([{ ...one, killedBy: [] }]))
    expect(() => readMutants(folder)).toThrow()
  } finally {
    await rm(folder, { recursive: true })
  }
})

test("[C-97] a program that starts an implementation gets the mutant, names a configuration, and is ended", async () => {
  const says = "console.log(process.argv[1] ?? 'none'); setInterval(() => {}, 1000)"
  const argv = [process.execPath, "-e", says]
  const broken = await startByArgv(argv, "M-1")
  expect(broken.config).toBe("M-1")
  await broken.stop()
  const whole = await startByArgv(argv, null)
  expect(whole.config).toBe("none")
  await whole.stop()
  await expect(startByArgv([process.execPath, "-e", "process.exit(3)"], null)).rejects.toThrow(
    "ended with 3 before it named a configuration"
  )
})
