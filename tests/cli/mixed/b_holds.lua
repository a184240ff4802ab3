print "b runs"
