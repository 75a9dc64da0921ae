// Asks Fuego's revision 1585 what its playout policy proposes. `make_proposals.py` runs it.
//
// Reads games on 9x9, one a line: the moves, `D4` or `PASS`. Writes for each position one line of sections separated by
// `|`: what each layer proposes, the empty points where it never plays, and what its two correctors make of the others,
// two points each. With an argument it writes instead which of the 3^8 neighbourhoods in the centre and of the 3^5 at the
// edge match a pattern if Black is to play, by `CodeOf8Neighbors` and `CodeOfEdgeNeighbors`. Build it with g++ and Boost in the root of Fuego's source:
//
//   git clone https://github.com/svn2github/fuego && cd fuego && git checkout f5cbe4c
//   sed -i 's/std::ostream& operator>>/std::istream\& operator>>/' smartgame/SgHash.h
//   sed -i 's/TIME_UTC)/TIME_UTC_)/' gtpengine/GtpEngine.cpp
//   g++ -O2 -DNDEBUG -fpermissive -w -std=gnu++98 -include climits -Igtpengine -Ismartgame -Igo -Igouct \
//     driver.cpp $(ls gtpengine/*.cpp smartgame/*.cpp go/*.cpp | grep -v Main.cpp | grep -v go/GoGtp) \
//     gouct/GoUctBoard.cpp gouct/GoUctPlayoutPolicy.cpp gouct/GoUctUtil.cpp -o driver \
//     -Wl,--gc-sections -lboost_thread -lboost_filesystem -lboost_system -lpthread
#include "SgSystem.h"
#include <iostream>
#include <sstream>
#include <vector>
#include <boost/array.hpp>
#include "GoBoard.h"
#include "GoInit.h"
#include "GoUctBoard.h"
#include "SgInit.h"
#include "SgPoint.h"
#include "SgRandom.h"
#define private public
#include "GoUctPlayoutPolicy.h"

using namespace std;

typedef GoUctPlayoutPolicy<GoUctBoard> Policy;

/** Writes what a layer has left in the policy's list, if it may be played. */
static void write(const Policy& policy, const GoUctBoard& board)
{
    for (GoPointList::Iterator it(policy.m_moves); it; ++it)
        if (GoUctUtil::GeneratePoint(board, *it, board.ToPlay()))
            cout << SgWritePoint(*it) << ' ';
    cout << '|';
}

int main(int argc, char**)
{
    SgInit();
    GoInit();
    GoBoard game(9);
    GoUctBoard board(game);
    GoUctPlayoutPolicyParam param;
    Policy policy(board, param);
    if (argc > 1)
    {
        for (int code = 0; code < GoUctPatterns<GoUctBoard>::GOUCT_POWER3_8; ++code)
            cout << policy.m_patterns.m_table[SG_BLACK][code].IsPattern();
        cout << endl;
        for (int code = 0; code < GoUctPatterns<GoUctBoard>::GOUCT_POWER3_5; ++code)
            cout << policy.m_patterns.m_edgeTable[SG_BLACK][code].IsPattern();
        cout << endl;
        return 0;
    }
    string line;
    while (getline(cin, line))
    {
        istringstream moves(line);
        string vertex;
        game.Init(9);
        while (moves >> vertex)
        {
            istringstream text(vertex);
            SgPoint point;
            text >> SgReadPoint(point);
            game.Play(point);
        }
        board.Init(game);
        policy.StartPlayout();
        policy.m_lastMove = board.GetLastMove();
        bool hasLast = ! SgIsSpecialMove(policy.m_lastMove) && ! board.IsEmpty(policy.m_lastMove);
        for (int layer = 0; layer < 4; ++layer)
        {
            policy.m_moves.Clear();
            if (hasLast && layer == 0)
                policy.GenerateAtariCaptureMove();
            if (hasLast && layer == 1)
                policy.GenerateAtariDefenseMove();
            if (hasLast && layer == 2)
                policy.GenerateLowLibMove(policy.m_lastMove);
            if (hasLast && layer == 3)
                policy.GeneratePatternMove();
            write(policy, board);
        }
        policy.m_moves.Clear();
        policy.m_captureGenerator.Generate(policy.m_moves);
        write(policy, board);
        vector<SgPoint> playable;
        for (GoUctBoard::Iterator it(board); it; ++it)
            if (board.IsEmpty(*it))
            {
                if (GoUctUtil::GeneratePoint(board, *it, board.ToPlay()))
                    playable.push_back(*it);
                else
                    cout << SgWritePoint(*it) << ' ';
            }
        cout << '|';
        for (int corrector = 0; corrector < 2; ++corrector)
        {
            for (size_t i = 0; i < playable.size(); ++i)
            {
                SgPoint move = playable[i];
                if (corrector == 0)
                    GoUctUtil::DoFalseEyeToCaptureCorrection(board, move);
                else
                    GoUctUtil::DoSelfAtariCorrection(board, move);
                if (move != playable[i])
                    cout << SgWritePoint(playable[i]) << ' ' << SgWritePoint(move) << ' ';
            }
            cout << '|';
        }
        cout << endl;
    }
}
