import type { PlayerExport } from "@atrium/domain/accounts/PlayersApi"
import { useSignal } from "@preact/signals"

import { Confirm } from "../parts/Confirm.tsx"
import { Fault } from "../parts/Fault.tsx"
import { Panel } from "../parts/Panel.tsx"
import { Tenant } from "../parts/Tenant.tsx"
import { ask, type Refusal } from "../service/Service.ts"
import { typable } from "../text/TypableText.ts"
import { playerPath } from "./PlayerPath.ts"
import type { PlayerProps } from "./WherePanel.tsx"
import { fileNameOf, keepFile, readWhole } from "./WholePlayer.ts"

/** What the service tells of a deletion. */
type Deleted = Pick<PlayerExport, "accountId"> & { readonly scoresKeptAs: string }

interface Props extends PlayerProps {
  /** The player was deleted: what the page shows of it is old. */
  readonly onDeleted: () => void
}

/** All that is kept of a player: a file of it, and its end. */
export const KeptPanel = ({ project, player, onDeleted }: Props) => {
  const path = playerPath(project, player)
  const works = useSignal(false)
  const refused = useSignal<Refusal | null>(null)
  const asks = useSignal(false)
  const keptAs = useSignal<string | null>(null)
  const exportAll = async (): Promise<void> => {
    works.value = true
    const whole = await readWhole(path, player)
    works.value = false
    refused.value = "_tag" in whole ? whole : null
    if (!("_tag" in whole)) keepFile(fileNameOf(player), JSON.stringify(whole, null, 2))
  }
  return (
    <Panel
      title="All that is kept"
      asked={{ method: "GET", path: `${path}/export`, credential: "login" }}
      command={{ words: ["players", "export"], flags: { project }, values: [player] }}
    >
      {refused.value !== null && <Fault refusal={refused.value} />}
      {keptAs.value !== null && (
        <p class="done" role="status">
          The player is deleted. Its scores and ratings are kept as{" "}
          <bdi class="mono">{keptAs.value}</bdi>.
        </p>
      )}
      <p class="sub-line">
        Fields, KV, devices, scores, ratings and tickets, those of its devices before they were
        linked included.
      </p>
      <div class="filters">
        <button type="button" class="quiet" disabled={works.value} onClick={() => void exportAll()}>
          Export
        </button>
        <button type="button" class="quiet danger" onClick={() => (asks.value = true)}>
          Delete the player
        </button>
      </div>
      {asks.value && (
        <Confirm
          title="Delete this player?"
          act="Delete"
          typed={typable(player)}
          onAct={async () => {
            const answer = await ask<Deleted>({ method: "DELETE", path })
            if (answer._tag === "Refused") return answer
            keptAs.value = answer.value.scoresKeptAs
            onDeleted()
            return null
          }}
          onClose={() => (asks.value = false)}
        >
          <p>
            <b>
              <Tenant text={player} max={120} />
            </b>{" "}
            loses its identity, its devices and all that is kept of it, for good, and its
            connections close. Scores and ratings stay under a random id.
          </p>
        </Confirm>
      )}
    </Panel>
  )
}
