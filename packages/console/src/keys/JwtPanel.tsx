import { useSignal } from "@preact/signals"

import { Confirm } from "../parts/Confirm.tsx"
import { Fault } from "../parts/Fault.tsx"
import { Panel } from "../parts/Panel.tsx"
import { Secret } from "../parts/Secret.tsx"
import { refusalIn, useActs } from "../service/Acts.ts"
import { ask } from "../service/Service.ts"

interface Props {
  readonly project: string
}

/** The secret by which a game's own backend signs joins. */
export const JwtPanel = ({ project }: Props) => {
  const path = `/v1/projects/${encodeURIComponent(project)}/jwt-secret`
  const secret = useSignal<string | null>(null)
  const asks = useSignal<"rotate" | "delete" | null>(null)
  const { works, refused, act } = useActs()
  const mint = async (): Promise<void> => {
    const made = await act<{ readonly secret: string }>({ method: "POST", path, body: {} })
    if (made !== null) secret.value = made.secret
  }
  return (
    <Panel
      title="JWT secret"
      asked={{ method: "POST", path, body: {}, credential: "login" }}
      command={{ words: ["keys", "jwt-secret"], flags: { project } }}
    >
      <p class="sub-line">
        A game's own backend signs join credentials with it. Once there is one, an anonymous
        identity alone joins no room.
      </p>
      <div class="filters">
        <button type="button" disabled={works.value} onClick={() => void mint()}>
          Mint the first
        </button>
        <button type="button" class="quiet" onClick={() => (asks.value = "rotate")}>
          Rotate
        </button>
        <button type="button" class="quiet danger" onClick={() => (asks.value = "delete")}>
          Delete all
        </button>
      </div>
      {refused.value !== null && <Fault refusal={refused.value} />}
      {secret.value !== null && (
        <Secret secret={secret.value} onDone={() => (secret.value = null)}>
          It belongs in the backend, and in no page or game.
        </Secret>
      )}
      {asks.value === "rotate" && (
        <Confirm
          title="Mint another secret?"
          act="Rotate"
          onAct={async () => {
            const body = { rotate: true }
            const answer = await ask<{ readonly secret: string }>({ method: "POST", path, body })
            if (answer._tag === "There") secret.value = answer.value.secret
            return refusalIn(answer)
          }}
          onClose={() => (asks.value = null)}
        >
          <p>What the old secret signs is taken for 24 hours more.</p>
        </Confirm>
      )}
      {asks.value === "delete" && (
        <Confirm
          title="Delete every JWT secret?"
          act="Delete"
          typed={project}
          onAct={async () => refusalIn(await ask({ method: "DELETE", path }))}
          onClose={() => (asks.value = null)}
        >
          <p>
            What they have signed is refused at once. Anonymous identities join the rooms of the
            project again.
          </p>
        </Confirm>
      )}
    </Panel>
  )
}
