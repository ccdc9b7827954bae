import { explain, show } from "./FieldCheck.ts"
import { problemAt } from "./FieldError.ts"
import { type FieldSpec, IntegerRanges, isNested, type NamedSpec, partsOf } from "./FieldSpec.ts"
import { nameProblem } from "./Names.ts"
import { stepsIn } from "./Quantise.ts"
import { SchemaLimits } from "./SchemaLimits.ts"
import { valueBytesMax } from "./ValueSize.ts"

const U32Max = 0xffff_ffff

// Bounds may be any JSON, and in plain JavaScript anything.

const countProblem = (bound: string, value: unknown, max: number): string | null => {
  if (!Number.isInteger(value) || Number(value) < 1) {
    return `${bound}: ${show(value)} is not a whole number from 1`
  }
  return Number(value) <= max ? null : `${bound}: ${show(value)} is over ${max}`
}

const choicesProblem = (choices: ReadonlyArray<string>): string | null => {
  if (!Array.isArray(choices)) return `choices: ${show(choices)} is not an array`
  if (choices.length === 0) return "an enum needs a choice"
  const max = SchemaLimits.enumChoices.max
  if (choices.length > max) return `${choices.length} choices are over ${max}`
  for (const choice of choices) {
    if (typeof choice !== "string" || choice === "" || !choice.isWellFormed()) {
      return `${show(choice)} is not a choice`
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
  if (![min, max, step].every(Number.isFinite)) return "min, max and step must be finite"
  const span = max - min
  if (!Number.isFinite(span)) return "min and max are too far apart"
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

/** Says which bound or default of a field makes no sense, `null` when all do. */
export const boundsProblem = (spec: FieldSpec): string | null => {
  const max = SchemaLimits.nestedKinds.max
  if (depthOf(spec) > max) return `more than ${max} structs, maps and lists are in one another`
  const problem = ownProblem(spec) ?? partsProblem(spec, boundsProblem)
  if (problem !== null) return problem
  if (isNested(spec)) {
    const bytes = valueBytesMax(spec)
    const bytesMax = SchemaLimits.nestedBytes.max
    if (bytes > bytesMax) return `it can take ${bytes} bytes, which is over ${bytesMax}`
    if (spec.kind === "list" && spec.default.length > 0) {
      return "default: only a list of plain kinds has one"
    }
  }
  const fault = explain(spec, spec.default)
  return fault === null ? null : problemAt("default", fault)
}

/** The first problem of the specs within a spec. */
export const partsProblem = (
  spec: FieldSpec,
  problemOf: (spec: FieldSpec) => string | null
): string | null => {
  for (const [segment, part] of partsOf(spec)) {
    const problem = problemOf(part)
    if (problem !== null) return problemAt(segment, problem)
  }
  return null
}

/** An optional alone is not counted: it holds no other optional. */
const depthOf = (spec: FieldSpec): number => {
  const inner = Math.max(0, ...partsOf(spec).map(([, part]) => depthOf(part)))
  return spec.kind === "optional" || partsOf(spec).length === 0 ? inner : inner + 1
}

const keyKinds: ReadonlySet<string> = new Set(
  ["string", "enum", "ref"].concat(Object.keys(IntegerRanges))
)

const ownProblem = (spec: FieldSpec): string | null => {
  switch (spec.kind) {
    case "string":
    case "bytes":
      return countProblem("maxBytes", spec.maxBytes, SchemaLimits.stringBytes.max)
    case "enum":
      return choicesProblem(spec.choices)
    case "quantised":
      return quantisedProblem(spec)
    case "ref":
      return typeof spec.collection === "string" ? null : "collection: must be text"
    case "list":
      return countProblem("maxLength", spec.maxLength, SchemaLimits.listElements.max)
    case "struct":
      return structProblem(spec.fields)
    case "map":
      if (!keyKinds.has(spec.key.kind)) return `a key cannot be of the kind ${spec.key.kind}`
      // An entry without a value would be like none.
      if (spec.value.kind === "optional") return "a map cannot hold optionals"
      return countProblem("maxEntries", spec.maxEntries, SchemaLimits.mapEntries.max)
    case "optional":
      return spec.of.kind === "optional" ? "an optional cannot hold an optional" : null
    default:
      return null
  }
}

const structProblem = (fields: ReadonlyArray<NamedSpec>): string | null => {
  // Without a value it would take no byte, and any number of it would fit into a few.
  if (fields.length === 0) return "a struct needs a field"
  const max = SchemaLimits.schemaFields.max
  if (fields.length > max) return `${fields.length} fields are over ${max}`
  const names = fields.map(({ name }) => name)
  for (const [place, name] of names.entries()) {
    const problem = names.indexOf(name) < place ? "the name is there twice" : nameProblem(name)
    if (problem !== null) return `.${name}: ${problem}`
  }
  return null
}
