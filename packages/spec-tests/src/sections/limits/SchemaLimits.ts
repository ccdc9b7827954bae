import type { ProbeOf } from "../../check/Check.ts"
import { same, holds } from "../../check/Expect.ts"
import type { SchemaDescription } from "../../trial/FixtureProbe.ts"
import type { Trial } from "../../trial/Trial.ts"
import { rowOf } from "../Section.ts"

/** The schema library builds the one, and throws for the other as it is defined. */
const buildsUpTo = async (
  trial: Trial,
  id: string,
  describe: (count: number) => SchemaDescription
): Promise<void> => {
  const { accept, refuse } = rowOf("boundary", id)
  same(`${id}: ${accept}`, await trial.fixtures.schema(describe(accept)), null)
  const refusal = await trial.fixtures.schema(describe(refuse))
  holds(`${id}: ${refuse} is refused`, refusal !== null, "built")
}

export const boundaries = [
  ["limits.schema.fields.entity", (entityFields: number) => ({ entityFields })],
  ["limits.schema.fields.singleton", (singletonFields: number) => ({ singletonFields })],
  ["limits.schema.messages", (messages: number) => ({ messages })],
  ["limits.schema.rpcs", (rpcs: number) => ({ clientRpcs: 30_000, serverRpcs: rpcs - 30_000 })],
  ["limits.player-fields.bytes", (playerBytes: number) => ({ playerBytes })]
] as const

export const buildsUpToItsLimit: ProbeOf = (id) => ({
  title: "a schema at the limit builds, one past it throws",
  run: async (trial) => {
    const [, describe] = boundaries.find(([known]) => known === id) ?? []
    if (describe === undefined) throw new Error(`${id} is no limit of a schema`)
    await buildsUpTo(trial, id, describe)
  }
})
