import type { Deployment } from "@atrium/domain/deployments/DeploymentsApi"

import { Confirm } from "../parts/Confirm.tsx"
import { ask, type Refusal } from "../service/Service.ts"

interface Props {
  readonly project: string
  readonly version: number
  /** @param text says what is current now */
  readonly onDone: (text: string) => void
  readonly onClose: () => void
}

/** Asks before the code of an older version becomes the current one. */
export const Rollback = ({ project, version, onDone, onClose }: Props) => {
  const rollback = async (): Promise<Refusal | null> => {
    const path = `/v1/projects/${encodeURIComponent(project)}/rollback`
    const answer = await ask<Deployment>({ method: "POST", path, body: { version } })
    if (answer._tag === "Refused") return answer
    onDone(`Version ${answer.value.version} is current, and has the code of version ${version}.`)
    return null
  }
  return (
    <Confirm
      title={`Roll back to version ${version}?`}
      act="Roll back"
      typed={`rollback ${version}`}
      onAct={rollback}
      onClose={onClose}
    >
      <p>
        The code and the schema of version {version} become the next version. Every room that is up
        moves to it: the rooms keep their state, and their clients reconnect.
      </p>
    </Confirm>
  )
}
