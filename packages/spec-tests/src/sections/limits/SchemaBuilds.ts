import type { Probe } from "../../check/Check.ts"
import { holds, same } from "../../check/Expect.ts"
import type { SchemaDescription } from "../../trial/FixtureProbe.ts"

/** The schema library takes the one and throws for the other. */
export const builds = (
  title: string,
  descriptions: {
    readonly taken: ReadonlyArray<SchemaDescription>
    readonly refused: ReadonlyArray<SchemaDescription>
  }
): Probe => ({
  title,
  run: async ({ fixtures }) => {
    for (const given of descriptions.taken) {
      same(`${JSON.stringify(given)} builds`, await fixtures.schema(given), null)
    }
    for (const given of descriptions.refused) {
      const why = await fixtures.schema(given)
      holds(`${JSON.stringify(given)} is refused`, why !== null, "built")
    }
  }
})
