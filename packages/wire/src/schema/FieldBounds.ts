import { explain } from "./FieldCheck.ts"
import type { FieldSpec, ItemSpec } from "./FieldSpec.ts"
import { stepsIn } from "./Quantise.ts"
import { SchemaLimits } from "./SchemaLimits.ts"

const U32Max = 0xffff_ffff

const countProblem = (value: unknown, max: number): string | null => {
  if (!Number.isInteger(value) || Number(value) < 1)
    return `${String(value)} is not a whole number from 1`
  return Number(value) <= max ? null : `${String(value)} is over ${max}`
}

const choicesProblem = (choices: ReadonlyArray<string>): string | null => {
  if (choices.length === 0) return "an enum needs a choice"
  const max = SchemaLimits.enumChoices.max
  if (choices.length > max) return `${choices.length} choices are over ${max}`
  for (const choice of choices) {
    if (typeof choice !== "string" || choice === "" || !choice.isWellFormed()) {
      return `${JSON.stringify(choice)} is not a choice`
    }
    const charsMax = SchemaLimits.schemaNameChars.max
    if (choice.length > charsMax) {
      return `the choice ${JSON.stringify(choice.slice(0, charsMax))}… is over ${charsMax} characters`
    }
  }
  const twice = choices.find((choice, place) => choices.indexOf(choice) !== place)
  return twice === undefined ? null : `the choice ${JSON.stringify(twice)} is there twice`
}

/** Room for rounding in a quotient that should be whole, and between a value and its step. */
const WholeTolerance = 1e-6
const FinestStep = 2 ** -48

const quantisedProblem = (spec: {
  readonly min: number
  readonly max: number
  readonly step: number
}): string | null => {
  const { min, max, step } = spec
  const span = max - min
  if (![min, max, step, span].every(Number.isFinite)) return "min, max and step must be finite"
  if (min >= max) return `min ${min} is not below max ${max}`
  if (step <= 0) return `step ${step} is not above 0`
  const steps = stepsIn(spec)
  if (steps < 1 || Math.abs(span / step - steps) > WholeTolerance) {
    return `max ${max} is not min ${min} and a whole number of steps ${step}`
  }
  if (steps > U32Max) return `${steps} steps are over ${U32Max}`
  // A finer step is lost in the rounding of the numbers themselves.
  if (step < Math.max(Math.abs(min), Math.abs(max)) * FinestStep) return `step ${step} is too fine`
  return null
}

const itemProblem = (spec: ItemSpec): string | null => {
  switch (spec.kind) {
    case "string":
    case "bytes": {
      const problem = countProblem(spec.maxBytes, SchemaLimits.stringBytes.max)
      return problem === null ? null : `maxBytes: ${problem}`
    }
    case "enum":
      return choicesProblem(spec.choices)
    case "quantised":
      return quantisedProblem(spec)
    default:
      return null
  }
}

/** Says which bound or default of a field makes no sense, `null` when all do. */
export const boundsProblem = (spec: FieldSpec): string | null => {
  let problem: string | null
  if (spec.kind === "list") {
    const length = countProblem(spec.maxLength, SchemaLimits.listElements.max)
    problem = length === null ? null : `maxLength: ${length}`
    // Only plain JavaScript and foreign JSON can come here: the types refuse it.
    if (problem === null && Object.is(spec.of.kind, "list")) problem = "a list cannot hold lists"
    problem ??= itemProblem(spec.of)
  } else {
    problem = itemProblem(spec)
  }
  if (problem !== null) return problem
  const fault = explain(spec, spec.default)
  return fault === null ? null : `default: ${fault}`
}
