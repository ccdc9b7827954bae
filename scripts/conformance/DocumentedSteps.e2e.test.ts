// @module-tag thorough

import { afterAll, beforeAll, expect, test } from "vitest"

import { longStep, type Reader, reader, steps } from "./DocumentedSteps.ts"

// The steps of docs/conformance.md, as they stand there, on a service that runs.

const stepMs = 300_000

let at: Reader | null = null

beforeAll(async () => {
  at = await reader()
}, stepMs)

afterAll(() => at?.leave())

test("[conformance.docs] the page has steps, each a command with its exit code", () => {
  expect(steps.length).toBeGreaterThanOrEqual(8)
  expect(steps.filter(([command]) => !command.startsWith("spec-tests "))).toEqual([])
  expect(steps.map(([command]) => command)).toContain(longStep)
})

const short = steps.filter(([command]) => command !== longStep)

test.each(short)("[conformance.docs] %s ends with %i", { timeout: stepMs }, async (line, code) => {
  const [ended, output] = (await at?.follow(line)) ?? [null, ""]
  expect(ended, output).toBe(code)
})
