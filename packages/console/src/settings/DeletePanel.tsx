import { useSignal } from "@preact/signals"

import { readAccount } from "../app/Account.ts"
import { go } from "../app/Location.ts"
import { addressOf } from "../app/Routes.ts"
import { Confirm } from "../parts/Confirm.tsx"
import { Panel } from "../parts/Panel.tsx"
import { Tenant } from "../parts/Tenant.tsx"
import { ask } from "../service/Service.ts"

interface Props {
  readonly path: string
  readonly id: string
  readonly name: string
}

/** Deletes a project, for good. */
export const DeletePanel = ({ path, id, name }: Props) => {
  const asks = useSignal(false)
  return (
    <Panel title="Delete" asked={{ method: "DELETE", path, credential: "login" }}>
      <div class="filters">
        <button type="button" class="quiet danger" onClick={() => (asks.value = true)}>
          Delete the project
        </button>
      </div>
      {asks.value && (
        <Confirm
          title="Delete this project?"
          act="Delete"
          typed={id}
          onAct={async () => {
            const answer = await ask({ method: "DELETE", path })
            if (answer._tag === "Refused") return answer
            await readAccount()
            go(addressOf({ _tag: "Projects" }))
            return null
          }}
          onClose={() => (asks.value = false)}
        >
          <p>
            <b>
              <Tenant text={name} max={60} />
            </b>{" "}
            goes with its rooms, saves, scores, keys and site. Players are disconnected, and its id
            is never used again.
          </p>
        </Confirm>
      )}
    </Panel>
  )
}
