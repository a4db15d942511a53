import { spawn } from "node:child_process"

const PROGRAM = __PROGRAM__
const AGENT = __AGENT__
const ENV = __ENV__
const PATIENCE = 10000
const MOST = 1 << 20

// What Lerim says; nothing when it fails or takes too long. Never throws: a memory must not break a session.
const hook = (event, input) =>
  new Promise((resolve) => {
    let said = ""
    try {
      const child = spawn(PROGRAM, ["hook", event, "--agent", AGENT], {
        cwd: input.cwd,
        env: { ...process.env, ...ENV },
        stdio: ["pipe", "pipe", "ignore"],
        windowsHide: true,
      })
      const timer = setTimeout(() => child.kill(), PATIENCE)
      const done = (text) => {
        clearTimeout(timer)
        resolve(text)
      }
      child.on("error", () => done(""))
      child.on("close", (code) => done(code === 0 ? said : ""))
      child.stdout.on("data", (data) => {
        if (said.length < MOST) said += data
      })
      child.stdin.on("error", () => {})
      child.stdin.end(JSON.stringify(input))
    } catch {
      resolve("")
    }
  })

// The brief itself, however it was wrapped.
const brief = (said) => {
  try {
    const answer = JSON.parse(said)
    return answer?.hookSpecificOutput?.additionalContext ?? answer?.additionalContext ?? ""
  } catch {
    return said.trim()
  }
}
