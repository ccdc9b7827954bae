import type { Project } from "@atrium/domain/projects/ProjectsApi"
import { signal } from "@preact/signals"

import { ask, type Refusal } from "../service/Service.ts"

/** The account of the session. */
export interface Me {
  readonly accountId: string
  readonly name: string
}

export const me = signal<Me | null>(null)
/** The projects of the account; `null` until the service has told them. */
export const projects = signal<ReadonlyArray<Project> | null>(null)

/** Why the account or its projects could not be read last; `null` = they were. */
export const accountRefused = signal<Refusal | null>(null)

/** Reads the account of the session, and its projects. */
export const readAccount = async (): Promise<void> => {
  const who = await ask<Me>({ path: "/v1/me" })
  if (who._tag === "There") me.value = who.value
  const own =
    who._tag === "There" ? await ask<ReadonlyArray<Project>>({ path: "/v1/projects" }) : who
  if (own._tag === "There") projects.value = own.value
  accountRefused.value = own._tag === "Refused" ? own : null
}

/** The name of a project; its id where the account has none of that id. */
export const projectName = (id: string): string =>
  projects.value?.find((one) => one.id === id)?.name ?? id
