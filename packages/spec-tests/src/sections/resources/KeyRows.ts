import { isSuccess } from "../../check/Answers.ts"
import { same } from "../../check/Expect.ts"
import type { HttpAnswer } from "../../trial/HttpProbe.ts"
import type { Project } from "../../trial/Project.ts"

export const listOf = ({ json }: HttpAnswer): ReadonlyArray<unknown> =>
  Array.isArray(json) ? json : []

/** The row of a key; what its id is called is not shown. */
export const rowOfKey = async (project: Project, keyId: string): Promise<unknown> => {
  const list = await project.ask("/keys")
  isSuccess(list)
  const rows = listOf(list).filter((row) => Object.values(Object(row)).includes(keyId))
  same(`rows of ${keyId} in the list`, rows.length, 1)
  return rows[0]
}

export const lastUsedOf = async (project: Project, keyId: string): Promise<unknown> =>
  Object(await rowOfKey(project, keyId))["lastUsed"]
