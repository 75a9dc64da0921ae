// Drive an engine as the Sabaki board does, with Sabaki's own GTP module, and print what happened as JSON.
//
//     node drive.js ENGINE ARGUMENTS…

const {Controller, ControllerStateTracker} = require('@sabaki/gtp')

const [path, ...args] = process.argv.slice(2)
const controller = new Controller(path, args)
const tracker = new ControllerStateTracker(controller)
const happened = {stderr: []}

controller.on('stderr', ({content}) => happened.stderr.push(content))

async function ask(name, ...args) {
  const {content, error} = await tracker.queueCommand({name, args})
  if (error) throw new Error(`${name} ${args.join(' ')}: ${content}`)
  return content
}

// Sabaki sends komi before the size of the board, then the moves; it takes back and plays on in one go, pipelined.
async function synchronise(history) {
  await tracker.sync({
    komi: 6.5,
    boardsize: [9, 9],
    timeSettings: {mainTime: 600, byoyomiTime: 30, byoyomiStones: 1},
    history: history.map(args => ({name: 'play', args}))
  })
}

async function playGame() {
  const history = []
  let numPasses = 0
  let hasTakenBack = false
  let result = ''
  while (numPasses < 2 && !result && history.length < 160) {
    const color = history.length % 2 === 0 ? 'B' : 'W'
    await synchronise(history)
    const vertex = (await ask('genmove', color)).toUpperCase()
    if (vertex === 'RESIGN') {
      result = `${color === 'B' ? 'W' : 'B'}+R`
    } else {
      history.push([color, vertex])
      numPasses = vertex === 'PASS' ? numPasses + 1 : 0
    }
    if (history.length === 12 && !hasTakenBack) {
      hasTakenBack = true
      history.splice(9)
      await synchronise(history)
    }
  }
  await synchronise(history)
  return {
    history,
    board: await ask('showboard'),
    result: result || (await ask('final_score')),
    dead: await ask('final_status_list', 'dead')
  }
}

// Each `info` segment is pairs of a key and a value, ended by `pv` and its vertices.
function parseVariations(line) {
  return line
    .split(/\s*info\s+/)
    .slice(1)
    .map(segment => {
      const [pairs, pv] = segment.split(/\s+pv\s+/)
      const words = pairs.trim().split(/\s+/)
      const variation = {pv: pv.trim().split(/\s+/)}
      for (let i = 0; i + 1 < words.length; i += 2) variation[words[i]] = words[i + 1]
      return variation
    })
}

// The analysis runs until Sabaki sends any line; it uses protocol_version.
async function analyze(name) {
  const updates = []
  let interruption = null
  const response = await controller.sendCommand({name, args: ['B', '10']}, ({line}) => {
    if (!line.startsWith('info ')) return
    updates.push(parseVariations(line))
    if (updates.length === 3) interruption = controller.sendCommand({name: 'protocol_version'})
  })
  return {updates, error: response.error, interruption: await interruption}
}

// A line sent during a genmove must not abort it.
async function generateWithAnalysis(name) {
  const updates = []
  let played = null
  const response = controller.sendCommand({name, args: ['B', '5']}, ({line}) => {
    if (line.startsWith('info ')) updates.push(parseVariations(line))
    if (line.startsWith('play ')) played = line.slice(5)
  })
  const later = controller.sendCommand({name: 'protocol_version'})
  return {error: (await response).error, later: await later, updates, played}
}

async function main() {
  controller.start()
  happened.name = await ask('name')
  happened.version = await ask('version')
  happened.commands = (await ask('list_commands')).split('\n')
  happened.game = await playGame()
  await synchronise([])
  happened.lz = await analyze('lz-analyze')
  happened.kata = await analyze('kata-analyze')
  happened.lzMove = await generateWithAnalysis('lz-genmove_analyze')
  happened.kataMove = await generateWithAnalysis('kata-genmove_analyze')
  happened.tracked = tracker.state.history
  happened.stopped = await controller.stop(3000)
  console.log(JSON.stringify(happened))
}

main().catch(error => {
  console.error(error)
  console.error(happened.stderr.join('\n'))
  process.exit(1)
})
