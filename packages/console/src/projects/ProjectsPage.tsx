import type { Project } from "@atrium/domain/projects/ProjectsApi"
import { useSignal } from "@preact/signals"
import { useEffect, useRef } from "preact/hooks"

import { accountRefused, projects, readAccount } from "../app/Account.ts"
import { go } from "../app/Location.ts"
import { addressOf } from "../app/Routes.ts"
import { Empty, Waiting } from "../parts/Empty.tsx"
import { Fault } from "../parts/Fault.tsx"
import { Link } from "../parts/Link.tsx"
import { Moment } from "../parts/Moment.tsx"
import { Panel } from "../parts/Panel.tsx"
import { Table, type TableColumn } from "../parts/Table.tsx"
import { Tenant } from "../parts/Tenant.tsx"
import { ask, type Refusal } from "../service/Service.ts"
import { countText } from "../text/Numbers.ts"

const pageOf = (project: string): string => addressOf({ _tag: "Project", project, page: "rooms" })

/** Every project of the account. */
export const ProjectsPage = () => {
  const all = projects.value
  return (
    <>
      <div class="page-head">
        <h1>Projects</h1>
        <div class="actions">
          <NewProject />
        </div>
      </div>
      <Panel
        title={
          all === null
            ? "All projects"
            : `${countText(all.length)} ${all.length === 1 ? "project" : "projects"}`
        }
        asked={{ method: "GET", path: "/v1/projects", credential: "login" }}
        command={{ words: ["project", "list"] }}
      >
        {accountRefused.value !== null && (
          <Fault refusal={accountRefused.value} again={() => void readAccount()} />
        )}
        {all === null ? (
          accountRefused.value === null && <Waiting />
        ) : all.length === 0 ? (
          <Empty title="No project yet.">
            <p>A deploy makes one. In the folder of your game:</p>
            <p>
              <code>atrium deploy --url {location.origin}</code>
            </p>
          </Empty>
        ) : (
          <Table label="Projects" columns={columns} rows={all} keyOf={({ id }) => id} />
        )}
      </Panel>
    </>
  )
}

const columns: ReadonlyArray<TableColumn<Project>> = [
  {
    title: "Name",
    cell: ({ id, name }) => (
      <Link to={pageOf(id)}>
        <Tenant text={name} max={60} inControl />
      </Link>
    )
  },
  { title: "Id", cell: ({ id }) => <code>{id}</code> },
  { title: "Plan", when: "roomy", cell: ({ plan }) => plan },
  {
    title: "Version",
    number: true,
    cell: ({ currentVersion }) => currentVersion ?? <span class="faint">none</span>
  },
  {
    title: "Site",
    when: "wide",
    cell: (project) =>
      project.static === null ? (
        <span class="faint">none</span>
      ) : (
        <Tenant text={project.static.label} />
      )
  },
  { title: "Made", when: "wide", cell: ({ createdAt }) => <Moment at={createdAt} /> }
]

/** Makes a project, and goes there. */
const NewProject = () => {
  const open = useSignal(false)
  const name = useSignal("")
  const refused = useSignal<Refusal | null>(null)
  const works = useSignal(false)
  const input = useRef<HTMLInputElement>(null)
  useEffect(() => input.current?.focus(), [open.value])
  const make = async (): Promise<void> => {
    if (works.value) return
    works.value = true
    const body = { name: name.value }
    const answer = await ask<Project>({ method: "POST", path: "/v1/projects", body })
    works.value = false
    if (answer._tag === "Refused") {
      refused.value = answer
      return
    }
    await readAccount()
    go(pageOf(answer.value.id))
  }
  if (!open.value) {
    return (
      <button type="button" class="quiet" onClick={() => (open.value = true)}>
        New project
      </button>
    )
  }
  return (
    <form
      class="inline"
      onSubmit={(event) => {
        event.preventDefault()
        void make()
      }}
    >
      <input
        aria-label="Name of the project"
        placeholder="Name"
        required
        value={name.value}
        onInput={(event) => (name.value = event.currentTarget.value)}
        ref={input}
      />
      <button disabled={works.value}>Make</button>
      <button
        type="button"
        class="quiet"
        onClick={() => {
          open.value = false
          refused.value = null
        }}
      >
        Cancel
      </button>
      {refused.value !== null && <Fault refusal={refused.value} />}
    </form>
  )
}
