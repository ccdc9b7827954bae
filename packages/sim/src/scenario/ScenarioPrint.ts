import { Schema } from "effect"
import { Document, isMap, isPair, isScalar, visit } from "yaml"

import { Scenario, type ScenarioSource } from "./Scenario.ts"
import { scenarioKeys } from "./ScenarioKeys.ts"

const encode = Schema.encodeSync(Scenario)

/** The scenario as a file would have it, with every value that it left out. */
export const scenarioSource = (scenario: Scenario): ScenarioSource => encode(scenario)

/** YAML that `readScenario` reads as the same scenario. */
export const printScenario = (scenario: Scenario): string =>
  documentOf(scenarioSource(scenario)).toString(layout)

/**
 * The same with what each key means, and with remarks.
 *
 * @param remarks by path, such as `players.daily`: where its value is from
 */
export const printWithComments = (
  scenario: Scenario,
  { head, remarks }: { readonly head: string; readonly remarks: ReadonlyMap<string, string> }
): string => {
  const source = scenarioSource(scenario)
  const document = documentOf(source)
  document.commentBefore = commentOf(head)
  const [firstKey] = Object.keys(source)
  visit(document, {
    Pair: (_, pair, ancestors) => {
      const path = [...ancestors.filter(isPair), pair].map(({ key }) => String(key)).join(".")
      const description = scenarioKeys.find((key) => key.path === path)?.description
      if (!isScalar(pair.key) || description === undefined) return
      const remark = remarks.get(path)
      const text = remark === undefined ? description : `${description} ${remark}`
      pair.key.commentBefore = commentOf(text)
      pair.key.spaceBefore = !path.includes(".") && path !== firstKey
      // A comment has a line of its own, and so has what it is about.
      if (isMap(pair.value)) pair.value.flow = pair.value.items.length === 0
    }
  })
  return document.toString(layout)
}

// A long line would be folded into several, and a comment with it.
const layout = { lineWidth: 0, flowCollectionPadding: true } as const

/** Short things stand on one line. */
const documentOf = (source: ScenarioSource): Document => {
  const document = new Document(source, { aliasDuplicateObjects: false })
  visit(document, {
    Map: (_, map) => {
      map.flow = map.items.every(({ value }) => isScalar(value)) && String(map).length <= 80
    },
    Seq: (_, seq) => {
      seq.flow = seq.items.every(isScalar)
    }
  })
  return document
}

const commentOf = (text: string): string =>
  text
    .split("\n")
    .map((line) => (line === "" ? "" : ` ${line}`))
    .join("\n")
