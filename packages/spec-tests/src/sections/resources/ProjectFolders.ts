import { randomBytes } from "node:crypto"
import { readFile } from "node:fs/promises"
import { join } from "node:path"

import { Mismatch } from "../../check/Expect.ts"
import type { Trial } from "../../trial/Trial.ts"

export const uniqueName = (): string => `conformance-${randomBytes(6).toString("hex")}`

/** The account's projects by name; other checks make projects meanwhile. Source: D-13. */
export const idsNamed = async (trial: Trial, name: string): Promise<ReadonlyArray<string>> => {
  const bearer = trial.login(0)
  const { json, text } = await trial.send({ method: "GET", path: "/v1/projects", bearer })
  if (!Array.isArray(json)) throw new Mismatch("projects", { expected: "a list", actual: text })
  const named = json.filter((row: unknown) => Object(row)["name"] === name)
  return named.map((row: unknown) => String(trial.codecs.projectId(row)))
}

export const fileOf = async (folder: string): Promise<Readonly<Record<string, unknown>>> =>
  Object(JSON.parse(await readFile(join(folder, "service.json"), "utf8")))
