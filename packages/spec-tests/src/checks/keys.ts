import type { Check } from "../check/Check.ts"
import { holds, matches, same } from "../check/Expect.ts"

/** Project API keys: minting, listing, revoking. */
export const keyChecks: ReadonlyArray<Check> = [
  {
    ids: ["keys.secret.form", "keys.id.form"],
    title: "a secret is a fixed prefix and 43 characters, a key id is key_ and hex",
    run: async (trial) => {
      const project = await trial.project()
      const [one, two] = [await project.key("rooms:read"), await project.key("rooms:write")]
      for (const { keyId, secret } of [one, two]) {
        matches("the secret", secret, /^[a-z]+_[A-Za-z0-9_-]{43}$/)
        matches("the key id", keyId, /^key_[0-9a-f]+$/)
      }
      const prefixOf = (secret: string): string => secret.slice(0, -43)
      same("the prefix of both", prefixOf(one.secret), prefixOf(two.secret))
      holds("two secrets differ", one.secret !== two.secret, "equal")
    }
  }
]
