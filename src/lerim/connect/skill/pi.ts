// Lerim's extension for pi: written by `lerim connect pi`; `lerim disconnect pi` takes it out.
// Plain JavaScript, which is TypeScript, too. It asks `lerim hook` for the brief once a session, and says when a session is compacted or ends.
__HOOK__

export default function (pi) {
  // A session that is taken up again has the brief in its messages already.
  let reason = "startup"
  let given = false

  const input = (ctx, name, more = {}) => {
    const file = ctx.sessionManager?.getSessionFile?.()
    const session = ctx.sessionManager?.getSessionId?.() ?? file ?? ""
    return { session_id: session, transcript_path: file ?? null, cwd: ctx.cwd, hook_event_name: name, ...more }
  }

  pi.on("session_start", (event) => {
    reason = event?.reason ?? "startup"
    given = reason === "resume" || reason === "reload"
  })
  pi.on("before_agent_start", async (_event, ctx) => {
    if (given) return
    given = true
    const source = reason === "new" ? "clear" : reason === "compact" ? "compact" : "startup"
    const text = brief(await hook("session-start", input(ctx, "SessionStart", { source })))
    if (text) return { message: { customType: "lerim", content: text, display: false } }
  })
  pi.on("session_before_compact", async (_event, ctx) => {
    await hook("pre-compact", input(ctx, "PreCompact"))
  })
  pi.on("session_compact", () => {
    given = false
    reason = "compact"
  })
  pi.on("session_shutdown", async (event, ctx) => {
    await hook("session-end", input(ctx, "SessionEnd", { reason: event?.reason ?? "other" }))
  })
}
