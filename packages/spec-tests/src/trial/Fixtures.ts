import { Unsupported } from "../check/Expect.ts"
import type { FixtureProbe } from "./FixtureProbe.ts"

/** Without an adapter nothing can be deployed. */
export const noFixtures: FixtureProbe = {
  deploy: () => Promise.reject(new Unsupported("the configuration names no adapter")),
  schema: () => Promise.reject(new Unsupported("the configuration names no adapter"))
}
