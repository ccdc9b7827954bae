import { createHash, createHmac, hash, randomBytes } from "node:crypto"

import { userCodeBytes, userCodeOf } from "@atrium/domain/logins/UserCode"
import { SecretPrefix } from "@atrium/domain/shared/Ids"
import type { ProjectId } from "@atrium/domain/shared/Ids"
import { Context, Layer } from "effect"

import { randomText } from "./RandomBytes.ts"

/** SHA-256 of a secret: the only form in which a bearer secret is stored. Spec: API key. */
export const hashSecret = (secret: string): Uint8Array =>
  new Uint8Array(createHash("sha256").update(secret).digest())

/** SHA-256 in hex: what a room process is told of a resume token. */
export const hashSecretHex = (secret: string): string => hash("sha256", secret, "hex")

/** A new bearer secret: its kind's prefix and 32 random bytes in base64url. Source: D-16. */
export const makeSecret = (kind: keyof typeof SecretPrefix): string =>
  SecretPrefix[kind] + randomBytes(32).toString("base64url")

/** A new unguessable token of 16 bytes, such as a resume token. */
export const makeToken = (): string => randomText(16, "base64url")

/** A new code that a person compares and allows. Source: D-23. */
export const makeUserCode = (): string => userCodeOf(randomBytes(userCodeBytes))

/** Hex characters of chance, as ids want them. */
export const randomHex = (characters: number): string =>
  randomText(Math.ceil(characters / 2), "hex").slice(0, characters)

/**
 * Makes ids of saves, seeds of rooms, and the ids of tickets and codes of parties, which nobody may guess. The
 * simulation has its own, from its seed.
 */
export const RandomHex = Context.Reference<typeof randomHex>("@atrium/actors/store/RandomHex", {
  defaultValue: () => randomHex
})

/**
 * Signing secrets of projects, derived from the service's master key and never stored: a copy of
 * the database alone signs nothing. A rotation is a higher `kid`. Source: D-25, D-27.
 */
export class Secrets extends Context.Service<
  Secrets,
  {
    /** `js_` and 43 characters: what a game's own backend signs join credentials with. */
    joinSecret(projectId: ProjectId, kid: number): string
    /** Signs the identity tokens that the service itself issues to a project's players. */
    identityKey(projectId: ProjectId): Uint8Array<ArrayBuffer>
    /** Signs the credentials of viewers, which the service itself mints. */
    audienceKey(projectId: ProjectId): Uint8Array<ArrayBuffer>
    /** Hashes the link codes of a project's accounts: eight characters alone are soon guessed. */
    linkCodeKey(projectId: ProjectId): Uint8Array
    /** Signs the join credentials of match tickets. */
    matchKey(projectId: ProjectId): Uint8Array<ArrayBuffer>
    /** Signs the credentials of test players. */
    testKey(projectId: ProjectId): Uint8Array<ArrayBuffer>
    /** Proves to other runners that this one is of the same service. */
    readonly linkKey: Uint8Array
  }
>()("@atrium/actors/store/Secrets") {
  /** @param masterKey 32 bytes that outlive restarts and are the same on every runner */
  static readonly layer = (masterKey: Uint8Array) =>
    Layer.sync(Secrets, () => {
      const derive = (use: string): Buffer =>
        createHmac("sha256", masterKey).update(`atrium/v1/${use}`).digest()
      return {
        joinSecret: (projectId, kid) =>
          SecretPrefix.joinSecret + derive(`join/${projectId}/${kid}`).toString("base64url"),
        identityKey: (projectId) => new Uint8Array(derive(`identity/${projectId}`)),
        audienceKey: (projectId) => new Uint8Array(derive(`audience/${projectId}`)),
        linkCodeKey: (projectId) => derive(`link-code/${projectId}`),
        matchKey: (projectId) => new Uint8Array(derive(`match/${projectId}`)),
        testKey: (projectId) => new Uint8Array(derive(`test/${projectId}`)),
        linkKey: derive("link")
      }
    })

  /** Secrets of a key that everybody knows, for a database in memory. */
  static readonly layerMemory = Secrets.layer(new Uint8Array(32))
}
