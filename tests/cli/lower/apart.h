class apart { int n; double *x; public: apart() : n(0), x(nullptr) {} };
