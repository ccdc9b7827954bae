import { signal } from "@preact/signals"

import { ask } from "../service/Service.ts"

/** The account of the session. */
export interface Me {
  readonly accountId: string
  readonly name: string
}

/** A project, as the menu knows it. Source: D-13. */
export interface ProjectRow {
  readonly id: string
  readonly name: string
  readonly plan: string
  readonly createdAt: string
  readonly currentVersion: number | null
  readonly static: { readonly label: string; readonly url: string } | null
}

export const me = signal<Me | null>(null)
/** `null` = they are being read. */
export const projects = signal<ReadonlyArray<ProjectRow> | null>(null)

/** Reads who has the session, and what is theirs. */
export const readAccount = async (): Promise<void> => {
  const who = await ask<Me>({ path: "/v1/me" })
  if (who._tag === "Refused") return
  me.value = who.value
  const own = await ask<ReadonlyArray<ProjectRow>>({ path: "/v1/projects" })
  if (own._tag === "There") projects.value = own.value
}

/** The name of a project; its id where the account has none of that id. */
export const projectName = (id: string): string =>
  projects.value?.find((one) => one.id === id)?.name ?? id
